import { StartupError } from "@assay/domain";
import type { ConnectionOptions } from "@nats-io/transport-node";

/** Addresses of the servers, credentials, and the prefix of the streams' names. */
export interface ServerAddress {
  readonly connection: ConnectionOptions;
  readonly prefix: string;
}

const DEFAULT_PREFIX = "ASSAY";

/**
 * Reads the addresses of one NATS cluster: `nats://` or `tls://`, with `user:password@` or `token@`. When several
 * installations share the servers, a path replaces ASSAY in the names of the streams.
 */
export function readServerAddress(urls: readonly string[]): ServerAddress {
  const parsed = urls.map((url) => {
    if (!URL.canParse(url)) throw addressFault();
    return new URL(url);
  });
  if (parsed.length === 0 || parsed.some(({ hostname }) => hostname === "")) throw addressFault();
  const signIn = parsed.find(({ username }) => username !== "");
  const path = parsed.map(({ pathname }) => pathname.replaceAll("/", "")).find((name) => name !== "");
  if (path !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(path)) throw addressFault();
  return {
    connection: {
      servers: parsed.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
      ...(signIn && credentials(signIn)),
      ...(parsed.some(({ protocol }) => protocol === "tls:") && { tls: {} }),
    },
    prefix: path ?? DEFAULT_PREFIX,
  };
}

function credentials({ username, password }: URL): Pick<ConnectionOptions, "user" | "pass" | "token"> {
  const name = decodeURIComponent(username);
  return password === "" ? { token: name } : { user: name, pass: decodeURIComponent(password) };
}

const addressFault = () =>
  new StartupError(
    "ASSAY_QUEUE_URL is not a NATS address: write nats://user:password@host:4222, and separate several with commas.",
  );
