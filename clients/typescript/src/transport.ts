import type { ClientLog } from "./client-log.ts";
import { fieldsOf, parseJson, textOr } from "./fields.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { type Answer, verdictOn } from "./retry-policy.ts";
import type { Schedule } from "./schedule.ts";

/** The part of the global `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Posts events to the service or, without a body, requests the config. Never rejects. */
export type Transport = (request: ServiceRequest) => Promise<Answer>;

export interface ServiceRequest {
  readonly body?: string;
  /** The ETag of the known config. */
  readonly etag?: string | null;
  /** Requests that the browser finish the request even after the page is closed. */
  readonly keepalive?: boolean;
}

export interface TransportSettings {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly schedule: Schedule;
  readonly log: ClientLog;
  /** Aborting it ends every request without an answer. */
  readonly life: AbortSignal;
  /** Called for each answer from the service itself, with the time of the request and the header `Date`. */
  readonly noteDate: (sentAt: number, date: string | null) => void;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** Makes the transport: adds the key, gives up after 10 s, and reads the body. */
export function createTransport({
  apiKey,
  baseUrl,
  fetch,
  schedule,
  log,
  life,
  noteDate,
}: TransportSettings): Transport {
  return async ({ body, etag, keepalive }) => {
    const abort = new AbortController();
    const { signal } = abort;
    const giveUp = () => abort.abort();
    // With the request's own signal, the listener is removed together with the request.
    life.addEventListener("abort", giveUp, { signal });
    const cancelTimeout = schedule(REQUEST_TIMEOUT_MS, giveUp);
    const init = {
      method: body ? "POST" : "GET",
      headers: {
        "X-API-Key": apiKey,
        ...(body && { "Content-Type": "application/json" }),
        ...(etag && { "If-None-Match": etag }),
      },
      body,
      // Following a redirect would send the key to whatever host it names. Workers do not support "error".
      redirect: "manual",
      signal,
    } as const;
    const send = (isLast?: boolean) =>
      fetch(baseUrl + (body ? "/v1/events" : "/v1/config"), { ...init, keepalive: isLast });
    const sentAt = Date.now();
    try {
      // Some browsers do not support keepalive for such a request, or have no quota left.
      const response = await (keepalive ? send(true).catch(() => send()) : send());
      const answer = await readAnswer(response);
      // A proxy's page has neither, and its clock is not the service's.
      if (answer.status === 304 || answer.body.config_version) noteDate(sentAt, response.headers.get("date"));
      if (answer.verdict === "refuse") log.sayOnce("error", `API key refused: ${answer.logText}`);
      return answer;
    } catch (error) {
      const logText = signal.aborted ? "no answer" : describe(error);
      return { status: 0, verdict: "retry", retryAfterMs: 0, etag: null, body: {}, logText };
    } finally {
      cancelTimeout();
      giveUp();
    }
  };
}

async function readAnswer(response: Response): Promise<Answer> {
  // The body is always read, because an unread body blocks its connection.
  const body = fieldsOf(parseJson(await response.text()));
  const { status, headers } = response;
  const slug = textOr(body.type, "").split("/").at(-1);
  const logText = `status ${status} ${slug}`.trim();
  return {
    status,
    verdict: verdictOn(status, logText),
    retryAfterMs: parseRetryAfter(headers.get("retry-after"), headers.get("date")),
    etag: headers.get("etag"),
    body,
    logText,
  };
}

/** fetch reports "fetch failed" and hides the reason in the cause. */
function describe(error: unknown): string {
  const { message, cause } = fieldsOf(error);
  return textOr(fieldsOf(cause).message || message, "request failed");
}
