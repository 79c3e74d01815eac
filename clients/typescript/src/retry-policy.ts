/** What came of one request: an answer, or none (refused, reset, timed out). */
export type Answer =
  | {
      readonly kind: "response";
      readonly status: number;
      /** The wait that Retry-After asks for. */
      readonly retryAfterMs: number | null;
      readonly etag: string | null;
      /** The body as JSON, undefined when it is none. */
      readonly body: unknown;
    }
  | { readonly kind: "network"; readonly detail: string };

/** What to do with a batch of events after an answer. */
export type Verdict =
  | { readonly action: "accept" }
  | { readonly action: "retry"; readonly delayMs: number }
  | { readonly action: "halve" }
  /** Send nothing for a while; `keepsBatch` tells whether the batch is sent again then. */
  | {
      readonly action: "pause";
      readonly pauseMs: number;
      readonly keepsBatch: boolean;
      readonly reason: string;
    }
  | { readonly action: "drop"; readonly reason: string };

export const MAX_TRIES = 5;
export const PAUSE_MS = 300_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * Decides what becomes of a batch. `tries` counts the requests made for it, this one included; `random` is uniform
 * in [0, 1).
 */
export function verdictOn(answer: Answer, tries: number, random: number): Verdict {
  const reason = reasonOf(answer);
  if (answer.kind === "response") {
    const { status } = answer;
    if (status >= 200 && status < 300) return { action: "accept" };
    if (status === 413) return { action: "halve" };
    if (isRefusal(answer)) return { action: "pause", pauseMs: PAUSE_MS, keepsBatch: true, reason };
    if (status === 429 && problemTypeOf(answer.body).endsWith("allowance-exhausted")) {
      return { action: "pause", pauseMs: answer.retryAfterMs ?? PAUSE_MS, keepsBatch: false, reason };
    }
    if (status !== 408 && status !== 429 && status < 500) return { action: "drop", reason };
  }
  if (tries >= MAX_TRIES) return { action: "drop", reason: `${reason}, ${tries} times` };
  return { action: "retry", delayMs: backoffMs(answer, tries, random) };
}

/**
 * Computes the wait before the next try in milliseconds: full jitter over 1 s, 2 s, 4 s … 30 s, and at least what
 * Retry-After asks for, up to 5 minutes.
 */
export function backoffMs(answer: Answer, tries: number, random: number): number {
  const jittered = random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
  const asked = answer.kind === "response" ? (answer.retryAfterMs ?? 0) : 0;
  return Math.max(jittered, Math.min(asked, LONGEST_RETRY_AFTER_MS));
}

/** Tells whether the service refused the API key. */
export function isRefusal(answer: Answer): boolean {
  return answer.kind === "response" && (answer.status === 401 || answer.status === 403);
}

/** Names an answer for the log: its status and problem type, or why there was none. */
export function reasonOf(answer: Answer): string {
  if (answer.kind === "network") return answer.detail;
  const slug = problemTypeOf(answer.body).split("/").at(-1);
  return slug ? `status ${answer.status} ${slug}` : `status ${answer.status}`;
}

function problemTypeOf(body: unknown): string {
  if (typeof body !== "object" || body === null || !("type" in body)) return "";
  return typeof body.type === "string" ? body.type : "";
}
