import { type CallTokens, type Clock, costOf, type JudgementOutcome, type ModelPrice } from "@assay/domain";
import type { FailedReply } from "./judge-endpoint.ts";
import { type JudgeGate, LONGEST_PAUSE_MS } from "./judge-gate.ts";

/**
 * Requests per attempt. After an unreadable answer the model is asked again at once, because the next answer may be
 * readable.
 */
const MAX_READINGS = 3;
/** With backoff, this many attempts take some minutes. An outage of the endpoint does not count as an attempt. */
export const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 600_000;

/** An outcome without an answer. */
export type Unanswered = Exclude<JudgementOutcome, { readonly kind: "scored" }>;

interface AskDeps {
  readonly gate: JudgeGate;
  readonly clock: Clock;
}

interface Asked<S> {
  readonly outcome: S | Unanswered;
  /** Of the answers that came. */
  readonly spent: readonly CallTokens[];
}

const FAILED = ["refused", "malformed", "rejected", "transient", "fault", "aborted"];
const isFailed = (reply: { readonly kind: string }): reply is FailedReply => FAILED.includes(reply.kind);

/**
 * Asks an endpoint until the answer can be read, three times at most; null when it accepts no requests, or the request is aborted.
 * Reports the endpoint's state to the gate. `ask` gets the number of unreadable answers; `attempts` counts earlier attempts.
 */
export async function askUntilRead<S extends { readonly kind: string; readonly usage: CallTokens | null }>(
  ask: (unreadable: number) => Promise<S | FailedReply>,
  attempts: number,
  deps: AskDeps,
): Promise<Asked<S> | null> {
  const spent: CallTokens[] = [];
  for (let unreadable = 0; ; unreadable++) {
    const reply = await ask(unreadable);
    if ("usage" in reply && reply.usage !== null) spent.push(reply.usage);
    if (!isFailed(reply)) {
      deps.gate.answered();
      return { outcome: reply, spent };
    }
    if (reply.kind === "malformed" && unreadable + 1 < MAX_READINGS) {
      deps.gate.answered();
      continue;
    }
    const outcome = outcomeOf(reply, attempts, deps);
    return outcome && { outcome, spent };
  }
}

function outcomeOf(reply: FailedReply, attempts: number, { gate, clock }: AskDeps): Unanswered | null {
  switch (reply.kind) {
    case "refused":
    case "rejected":
      gate.answered();
      return { kind: "failed", cause: reply.kind, detail: reply.detail };
    case "malformed":
      gate.answered();
      return { kind: "failed", cause: "malformed-answer", detail: reply.detail };
    case "fault":
      gate.faulted(reply.detail);
      return null;
    case "aborted":
      return null;
    case "transient":
      return reply.cause === "rate-limited"
        ? postponeUnasked(reply, gate)
        : postponeWithBackoff(reply, { attempts: attempts + 1, now: clock.now(), gate });
  }
}

type Transient = Extract<FailedReply, { readonly kind: "transient" }>;

/** Postpones a rate-limited question. The endpoint did not process it, so it does not count as an attempt. */
function postponeUnasked({ cause, detail, retryAfterMs }: Transient, gate: JudgeGate): Unanswered {
  gate.rateLimited(retryAfterMs);
  return { kind: "postponed", cause, detail, notBefore: gate.opensAt, isAttempt: false };
}

function postponeWithBackoff(
  { cause, detail, retryAfterMs }: Transient,
  { attempts, now, gate }: { readonly attempts: number; readonly now: number; readonly gate: JudgeGate },
): Unanswered {
  gate.failed(detail);
  // While the endpoint is down, every question fails, which says nothing about this one.
  const isAttempt = gate.fault === null;
  if (isAttempt && attempts >= MAX_ATTEMPTS) return { kind: "failed", cause, detail };
  const notBefore = now + Math.max(Math.min(LONGEST_PAUSE_MS, retryAfterMs ?? 0), backoffMs(attempts));
  return { kind: "postponed", cause, detail, notBefore, isAttempt };
}

/** Doubles with every attempt. Half of it is random jitter, so that questions that failed together are not retried together. */
function backoffMs(attempts: number): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/** Sums tokens and cost. Null for what nobody reported, and for the cost without a price. */
export function usageOf(spent: readonly CallTokens[], price: ModelPrice | null) {
  return {
    inputTokens: sum(spent.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(spent.map(({ outputTokens }) => outputTokens)),
    costUsd: sum(spent.map((tokens) => price && costOf(tokens, price))),
  };
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
