import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Failure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A local server that speaks the bit of Clerk's Backend API that seat caps need. */
export interface ClerkApi {
  /** What ASSAY_IDENTITY_API_URL and ASSAY_IDENTITY_API_KEY would be. */
  readonly settings: { readonly url: string; readonly key: string };
  /** The cap of each known organization; 0 means none. Other organizations are unknown. */
  readonly caps: Map<string, number>;
  /** The requested organizations, in order. */
  readonly asked: string[];
  /** Answers the next requests with these, in turn. */
  fail(...failures: readonly Failure[]): void;
  close(): Promise<void>;
}

const KEY = "sk_test_only_for_this_stand_in";
const PATH = /^\/v1\/organizations\/([^/]+)$/;

/** Starts it on a free port of this machine. */
export async function openClerkApi(orgs: readonly string[]): Promise<ClerkApi> {
  const caps = new Map(orgs.map((org) => [org, 5]));
  const asked: string[] = [];
  const failures: Failure[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, { caps, asked, failures });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { url: `http://127.0.0.1:${port}/v1`, key: KEY },
    caps,
    asked,
    fail: (...more) => void failures.push(...more),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface State {
  readonly caps: Map<string, number>;
  readonly asked: string[];
  readonly failures: Failure[];
}

async function answer(request: IncomingMessage, response: ServerResponse, { caps, asked, failures }: State) {
  const body = await text(request);
  const org = decodeURIComponent(PATH.exec(request.url ?? "")?.[1] ?? "");
  asked.push(org);
  const failure = failures.shift();
  const refuse = (status: number, code: string, headers = {}) => {
    const message = `${code}: ${request.headers.authorization}`;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ errors: [{ message, code }] }));
  };
  if (failure !== undefined) return refuse(failure.status, "made_to_fail", failure.headers);
  if (request.headers.authorization !== `Bearer ${KEY}`) return refuse(401, "authorization_invalid");
  if (request.method !== "PATCH" || !caps.has(org)) return refuse(404, "resource_not_found");
  const cap: unknown = (JSON.parse(body) as Record<string, unknown>).max_allowed_memberships;
  if (!Number.isInteger(cap) || Number(cap) < 0) return refuse(422, "form_param_format_invalid");
  caps.set(org, Number(cap));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ object: "organization", id: org, max_allowed_memberships: cap }));
}
