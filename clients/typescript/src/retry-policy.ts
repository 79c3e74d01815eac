import { type Fields, isInteger } from "./fields.ts";

/** The outcome of one request. */
export interface Answer {
  /** 0 when there was no response: the connection was refused, reset or timed out. */
  readonly status: number;
  /** The wait in Retry-After; 0 for none. */
  readonly retryAfterMs: number;
  readonly verdict: Verdict;
  readonly etag: string | null;
  /** The body as JSON; an empty object when it is not an object. */
  readonly body: Fields;
  /** Describes the outcome for the log: the status and problem type, or why there was no response. */
  readonly logText: string;
}

/**
 * What happens to a batch. `halve` sends it in smaller parts, `refuse` (the key) pauses and keeps it, `exhaust` (the
 * allowance) pauses and drops it.
 */
export type Verdict = "accept" | "retry" | "halve" | "refuse" | "exhaust" | "drop";

export const MAX_TRIES = 5;
/** How long sending pauses after a refused key, or after a used-up allowance without a Retry-After. */
export const PAUSE_MS = 300_000;
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 300_000;

/** Decides what happens to a batch after an answer. A redirect is not followed and counts as no answer. */
export function verdictOn(status: number, logText: string): Verdict {
  if (status >= 200 && status < 300) return "accept";
  if (status === 413) return "halve";
  if (status === 401 || status === 403) return "refuse";
  if (status === 429 && logText.endsWith("allowance-exhausted")) return "exhaust";
  return status < 400 || status === 408 || status === 429 || status >= 500 ? "retry" : "drop";
}

/**
 * Reads the answer to a batch. A success without a count of accepted rows comes from something else, such as a proxy's
 * page. It does not count as delivery, and the batch is tried again.
 */
export function acknowledgementOf(answer: Answer): Answer {
  const { verdict, body, logText } = answer;
  if (verdict !== "accept" || (isInteger(body.accepted) && body.accepted >= 0)) return answer;
  return { ...answer, verdict: "retry", logText: `${logText} without an acknowledgement` };
}

/**
 * Computes the wait before the next try in milliseconds: full jitter over 1 s, 2 s, 4 s … 30 s, and at least
 * the Retry-After, up to 5 minutes. `tries` counts the requests made so far; `random` is uniform in [0, 1).
 */
export function backoffMs(
  { retryAfterMs }: Pick<Answer, "retryAfterMs">,
  tries: number,
  random: number,
): number {
  const jittered = random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1));
  return Math.max(jittered, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
}
