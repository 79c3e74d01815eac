import {
  blindCall,
  type CallTokens,
  type Clock,
  inputText,
  MAX_ANSWER_CHARACTERS,
  preferenceOf,
  priceFor,
  type RehearsalArm,
  type RehearsalOutcome,
  type RehearsalPlan,
  type RehearsalTask,
  type RehearsalUsage,
  rehearsalIdempotencyKey,
  sliceText,
} from "@assay/domain";
import { askUntilRead, type Unanswered, usageOf } from "../judging/ask-endpoint.ts";
import type { FailedReply, JudgeEndpoint, JudgeReply, PairReply } from "../judging/judge-endpoint.ts";
import type { JudgeGate } from "../judging/judge-gate.ts";
import type { AnswerEndpoint, AnswerReply } from "./answer-endpoint.ts";
import type { RehearsalAttempt, RehearsalQuestion } from "./rehearsal-questions.ts";

interface AskDeps {
  readonly answers: AnswerEndpoint;
  readonly judge: JudgeEndpoint;
  readonly gate: JudgeGate;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Reply = Exclude<AnswerReply | JudgeReply | PairReply, FailedReply>;

/** The endpoint does not serve the arm's model; `unserved` says so. */
export interface Unserved {
  readonly unserved: string;
}

/** Makes a request. Null when the endpoint accepts none now, or the signal is aborted. */
export async function askRequest(
  question: RehearsalQuestion,
  deps: AskDeps,
): Promise<RehearsalAttempt | Unserved | null> {
  const { task } = question;
  const { signal } = deps;
  const asked = await askUntilRead<Reply>(
    (unreadable) => {
      const asking = { idempotencyKey: rehearsalIdempotencyKey(task, unreadable), signal };
      return replyTo(question, asking, deps);
    },
    task.attempts,
    deps,
  );
  if (asked === null) return null;
  const { outcome, spent } = asked;
  if (outcome.kind === "unserved") return { unserved: outcome.detail };
  return { outcome: outcomeOf(outcome, task), usage: chargeOf({ outcome, spent }, task) };
}

function replyTo(
  { task, item }: RehearsalQuestion,
  asking: { readonly idempotencyKey: string; readonly signal: AbortSignal },
  { answers, judge }: AskDeps,
): Promise<AnswerReply | JudgeReply | PairReply> {
  const { kind, first, rehearsal } = task;
  if (kind === "answer") return answers.answer({ arm: armOf(task), item, ...asking });
  const { rubric, scale } = rehearsal.plan.judge;
  const input = inputText(item);
  const { reference } = item;
  const [one = "", other = ""] = task.answers.map((answer) => blindAnswer(answer, rehearsal.plan));
  if (kind === "score") {
    const judged = { input, reference, answer: one };
    return judge.ask({ judge: { rubric, scale, sampleRate: 1 }, judged, ...asking });
  }
  const shown = first === "control" ? { first: one, second: other } : { first: other, second: one };
  return judge.compare({ rubric, pair: { input, reference, ...shown }, ...asking });
}

const armOf = ({ rehearsal, arm }: RehearsalTask): RehearsalArm => rehearsal.plan.arms[arm] as RehearsalArm;

/** Removes the arms' prompts from an answer, because an answer that repeats its prompt would reveal its arm. */
export function blindAnswer(response: string, { arms }: Pick<RehearsalPlan, "arms">): string {
  const prompts = arms.map(({ prompt }) => prompt);
  return blindCall({ prompt: null, response }, prompts).answer;
}

type Settled = Exclude<Reply, { readonly kind: "unserved" }> | Unanswered;

function outcomeOf(reply: Settled, { first }: RehearsalTask): RehearsalOutcome {
  switch (reply.kind) {
    case "answered": {
      const { kind, text, latencyMs } = reply;
      return { kind, text: sliceText(text, MAX_ANSWER_CHARACTERS), length: text.length, latencyMs };
    }
    case "scored":
      return { kind: "scored", score: reply.score, reason: reply.reason };
    case "preferred":
      return { kind: "preferred", preference: preferenceOf(reply.better, first), reason: reply.reason };
    default:
      return reply;
  }
}

/** What the answers that came cost; null when none came. */
function chargeOf(
  { outcome, spent }: { readonly outcome: Settled; readonly spent: readonly CallTokens[] },
  task: RehearsalTask,
): RehearsalUsage | null {
  const isAnswered = outcome.kind !== "failed" && outcome.kind !== "postponed";
  if (!isAnswered && spent.length === 0) return null;
  const { prices, judgeModel } = task.rehearsal;
  const model = task.kind === "answer" ? armOf(task).model : judgeModel;
  return usageOf(spent, priceFor(prices, model));
}
