import {
  type Clock,
  type JudgedText,
  type JudgementOutcome,
  type JudgeUsage,
  judgementIdempotencyKey,
} from "@assay/domain";
import type { Metrics } from "../metrics.ts";
import { askUntilRead, usageOf } from "./ask-endpoint.ts";
import type { JudgeEndpoint, JudgeReply } from "./judge-endpoint.ts";
import type { JudgeGate } from "./judge-gate.ts";
import type { Question } from "./load-questions.ts";

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

/** Asks the judge and returns the outcome of the judgement; null when the endpoint accepts no requests, or the service stops. */
export async function askJudge(question: Question, deps: AskDeps): Promise<Attempt | null> {
  const { task, judged, price } = question;
  const asked = await askUntilRead((unreadable) => askOnce(question, unreadable, deps), task.attempts, deps);
  if (asked === null) return null;
  const { outcome, spent } = asked;
  const { inputTokens, outputTokens, costUsd } = usageOf(spent, price);
  const usage = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costUsd };
  if (outcome.kind !== "scored") return { outcome, usage };
  const { kind, score, reason } = outcome;
  return { outcome: { kind, score, reason, ...sizeOf(judged) }, usage };
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

function sizeOf(judged: JudgedText): { readonly answerLength: number; readonly isCut: boolean } {
  return "unit" in judged
    ? { answerLength: judged.text.length, isCut: judged.isCut }
    : { answerLength: judged.answer.length, isCut: false };
}
