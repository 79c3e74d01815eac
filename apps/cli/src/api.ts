import { parseSettings, serviceUrl } from "@assay/server/settings";
import { CommandError } from "./command-error.ts";
import { issueToken } from "./issue-token.ts";

/** Calls the API of a running service with a session or service token. */
export interface Api {
  readonly baseUrl: string;
  /** The headers that authorize requests made without `call`. */
  readonly credential: Readonly<Record<string, string>>;
  call<T>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<T>;
  /** Sends a file with POST. */
  send(path: string, file: Uint8Array<ArrayBuffer>): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Creates an API client for a base address. An error response becomes a `CommandError` with the problem's title and detail. */
export function createApi(baseUrl: string, token: string): Api {
  const credential = { authorization: `Bearer ${token}` };
  return {
    baseUrl,
    credential,
    async call<T>(method: "GET" | "POST" | "PUT", path: string, body?: unknown): Promise<T> {
      const { status, text } = await send(`${baseUrl}${path}`, {
        method,
        headers: {
          ...credential,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (status >= 300) throw new CommandError(explainAnswer(status, text));
      return (text === "" ? null : JSON.parse(text)) as T;
    },
    async send(path, file) {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
      return send(`${baseUrl}${path}`, { method: "POST", headers, body: file });
    },
  };
}

/** Creates a client of the configured service. It uses `ASSAY_TOKEN`, or the local owner's token without it. */
export async function serviceApi(): Promise<Api> {
  const settings = parseSettings(process.env);
  const { ASSAY_TOKEN: token } = process.env;
  return createApi(serviceUrl(settings), token ? token : await issueToken(settings));
}

async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
    const isBroken = code !== undefined && BREAKS.has(code);
    throw new CommandError(isBroken ? explainBreak(url) : explainSilence(url));
  }
}

/** Error codes of `fetch` after a service accepted the request: it stopped, a proxy gave up, or it took more than 5 minutes. */
const BREAKS = new Set(["UND_ERR_SOCKET", "ECONNRESET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

function explainBreak(url: string): string {
  return `The connection to ${new URL(url).origin} closed before the answer was complete. The service may have stopped, or it may still be working on the request: check its log and the results before you repeat the command.`;
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
    // The detail already states the first fault.
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
