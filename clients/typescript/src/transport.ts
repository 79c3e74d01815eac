import { parseRetryAfter } from "./retry-after.ts";
import type { Answer } from "./retry-policy.ts";
import type { Schedule } from "./schedule.ts";

/** The part of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request to the service; never rejects. */
export type Transport = (path: string, request: ServiceRequest) => Promise<Answer>;

export interface ServiceRequest {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Gives the request up early; the answer is then a network failure. */
  readonly signal: AbortSignal;
}

export interface TransportSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly schedule: Schedule;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Makes the transport: adds the key, gives up after 10 s, and reads the body. */
export function createTransport({ apiKey, baseUrl, fetch, schedule }: TransportSettings): Transport {
  return async (path, { method, headers, body, signal }) => {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    signal.addEventListener("abort", giveUp);
    const cancelTimeout = schedule(REQUEST_TIMEOUT_MS, giveUp);
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { ...headers, "X-API-Key": apiKey },
        // Following a redirect would hand the key to whatever host it names.
        redirect: "error",
        signal: abort.signal,
        ...(body === undefined ? {} : { body }),
      });
      return await readAnswer(response);
    } catch (error) {
      return { kind: "network", detail: abort.signal.aborted ? "no answer in time" : describe(error) };
    } finally {
      cancelTimeout();
      signal.removeEventListener("abort", giveUp);
    }
  };
}

async function readAnswer(response: Response): Promise<Answer> {
  // Read even when nobody wants it: an unread body holds its connection.
  const text = await response.text();
  const { headers } = response;
  return {
    kind: "response",
    status: response.status,
    retryAfterMs: parseRetryAfter(headers.get("retry-after"), headers.get("date")),
    etag: headers.get("etag"),
    body: parseJson(text),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** fetch says "fetch failed" and hides the reason in the cause. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the request failed";
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
