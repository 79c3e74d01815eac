import { parseSettings, serviceUrl } from "@assay/server/settings";
import { CommandError } from "./command-error.ts";
import { issueToken } from "./issue-token.ts";

/** Calls the API of a running service with a session or service token. */
export interface Api {
  readonly baseUrl: string;
  /** What a request that is not made by `call` is authorized with. */
  readonly credential: Readonly<Record<string, string>>;
  call<T>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<T>;
  /** Sends a file with POST. */
  send(
    path: string,
    file: Uint8Array<ArrayBuffer>,
  ): Promise<{ readonly status: number; readonly text: string }>;
}

/** Makes the API at a base address. An error response becomes a `CommandError` with the problem's title and detail. */
export function createApi(baseUrl: string, token: string): Api {
  const credential = { authorization: `Bearer ${token}` };
  return {
    baseUrl,
    credential,
    async call<T>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<T> {
      const response = await send(`${baseUrl}${path}`, {
        method,
        headers: {
          ...credential,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new CommandError(explainAnswer(response.status, text));
      return (text === "" ? null : JSON.parse(text)) as T;
    },
    async send(path, file) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
      const response = await send(`${baseUrl}${path}`, { method: "POST", headers, body: file });
      return { status: response.status, text: await response.text() };
    },
  };
}

/** Makes the API of the service that the settings point to, called with `ASSAY_TOKEN`, or without it as the local owner. */
export async function serviceApi(): Promise<Api> {
  const settings = parseSettings(process.env);
  const { ASSAY_TOKEN: token } = process.env;
  return createApi(serviceUrl(settings), token ? token : await issueToken(settings));
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    throw new CommandError(explainSilence(url));
  }
}

/** Writes an error response: the problem's title and detail, and one line for each further fault. */
export function explainAnswer(status: number, text: string): string {
  try {
    const {
      title,
      detail,
      errors = [],
    } = JSON.parse(text) as {
      readonly title?: string;
      readonly detail?: string;
      readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
    };
    // The detail is the first fault.
    const further = errors.slice(1).map((fault) => [fault.pointer, fault.detail].filter(Boolean).join(": "));
    return [`${title} (${status}): ${detail}`, ...further].join("\n");
  } catch {
    return `The service answered ${status}.`;
  }
}

/** Explains in one line that no service listens at an address. */
export function explainSilence(url: string): string {
  return `Nothing answers at ${new URL(url).origin}: start the service with npm start, or set ASSAY_HOST and ASSAY_PORT to where it listens.`;
}
