import {
  type CallTokens,
  type Clock,
  costOf,
  type JudgedText,
  type JudgementOutcome,
  type JudgeUsage,
  judgementIdempotencyKey,
} from "@assay/domain";
import type { Metrics } from "../metrics.ts";
import type { JudgeEndpoint, JudgeReply } from "./judge-endpoint.ts";
import type { JudgeGate } from "./judge-gate.ts";
import type { Question } from "./load-questions.ts";

/**
 * Requests per attempt: after an unreadable answer, the judge is asked again at once, because the next answer
 * may be readable.
 */
const MAX_READINGS = 3;
/** With backoff, this many attempts take some minutes. An outage of the endpoint does not count as an attempt. */
export const MAX_ATTEMPTS = 8;
const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 600_000;

export interface AskDeps {
  readonly endpoint: Pick<JudgeEndpoint, "ask">;
  readonly gate: JudgeGate;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, "judgeSeconds">;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
}

export interface Attempt {
  readonly outcome: JudgementOutcome;
  readonly usage: JudgeUsage;
}

/**
 * Asks the judge and returns the outcome of the judgement; null when the endpoint accepts no requests, or the service
 * stops. Reports the endpoint's state to the gate.
 */
export async function askJudge(question: Question, deps: AskDeps): Promise<Attempt | null> {
  const spent: CallTokens[] = [];
  for (let unreadable = 0; ; unreadable++) {
    const reply = await askOnce(question, unreadable, deps);
    if ("usage" in reply && reply.usage !== null) spent.push(reply.usage);
    if (reply.kind === "malformed" && unreadable + 1 < MAX_READINGS) {
      deps.gate.answered();
      continue;
    }
    const outcome = outcomeOf(reply, question, deps);
    return outcome && { outcome, usage: usageOf(spent, question) };
  }
}

async function askOnce(
  { task, judge, judged }: Question,
  unreadable: number,
  { endpoint, signal, metrics }: AskDeps,
): Promise<JudgeReply> {
  const idempotencyKey = judgementIdempotencyKey(task, unreadable);
  const stopTimer = metrics.judgeSeconds.startTimer();
  const reply = await endpoint.ask({ judge, judged, idempotencyKey, signal });
  stopTimer();
  return reply;
}

function outcomeOf(reply: JudgeReply, { task, judged }: Question, deps: AskDeps): JudgementOutcome | null {
  const { gate, clock } = deps;
  switch (reply.kind) {
    case "scored": {
      gate.answered();
      const { kind, score, reason } = reply;
      return { kind, score, reason, ...sizeOf(judged) };
    }
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
        : postponeWithBackoff(reply, { attempts: task.attempts + 1, now: clock.now(), gate });
  }
}

function sizeOf(judged: JudgedText): { readonly answerLength: number; readonly isCut: boolean } {
  return "unit" in judged
    ? { answerLength: judged.text.length, isCut: judged.isCut }
    : { answerLength: judged.answer.length, isCut: false };
}

type Transient = Extract<JudgeReply, { readonly kind: "transient" }>;

/** Postpones a rate-limited question. The endpoint did not process it, so this is not an attempt. */
function postponeUnasked({ cause, detail, retryAfterMs }: Transient, gate: JudgeGate): JudgementOutcome {
  gate.rateLimited(retryAfterMs);
  return { kind: "postponed", cause, detail, notBefore: gate.opensAt, isAttempt: false };
}

function postponeWithBackoff(
  { cause, detail, retryAfterMs }: Transient,
  { attempts, now, gate }: { readonly attempts: number; readonly now: number; readonly gate: JudgeGate },
): JudgementOutcome {
  gate.failed(detail);
  // While the endpoint is down every question fails, which says nothing about this one.
  const isAttempt = gate.fault === null;
  if (isAttempt && attempts >= MAX_ATTEMPTS) return { kind: "failed", cause, detail };
  const notBefore = now + Math.max(retryAfterMs ?? 0, backoffMs(attempts));
  return { kind: "postponed", cause, detail, notBefore, isAttempt };
}

/** Doubles with every attempt. Half of it is random jitter, so that questions that failed together are not retried together. */
function backoffMs(attempts: number): number {
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/** Sums the usage. Counts that the endpoint does not report are 0, and without a price the cost is null. */
function usageOf(spent: readonly CallTokens[], { price }: Question): JudgeUsage {
  const sum = (values: readonly (number | null)[]) =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const costs = spent.map((tokens) => price && costOf(tokens, price)).filter((cost) => cost !== null);
  return {
    inputTokens: sum(spent.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(spent.map(({ outputTokens }) => outputTokens)),
    costUsd: costs.length === 0 ? null : sum(costs),
  };
}
