import { type CallTokens, type DatasetItem, messagesFor, type RehearsalArm } from "@assay/domain";
import type { Asking, FailedReply } from "../judging/judge-endpoint.ts";
import { type EndpointNames, JUDGE_NAMES, replyOfStatus } from "../judging/judge-faults.ts";
import { type Chat, type ChatOptions, type ChatOutcome, openChat } from "../judging/openai-chat.ts";
import { readCompletion } from "../judging/read-completion.ts";
import type { RehearsalSettings } from "../settings/judge-settings.ts";

/** Statuses by which an endpoint says that it does not serve this model, or not with this key. */
const UNSERVED = [403, 404];

/** LiteLLM's proxy says the same with a 400. */
const OF_LITELLM = /Invalid model name passed in model=/;

const OWN_NAMES: EndpointNames = {
  who: "The endpoint",
  url: "ASSAY_REHEARSAL_URL",
  apiKey: "ASSAY_REHEARSAL_API_KEY",
  model: "the arm's model",
};

export interface AnswerQuestion extends Asking {
  readonly arm: RehearsalArm;
  readonly item: Pick<DatasetItem, "messages">;
}

export type AnswerReply =
  | {
      readonly kind: "answered";
      readonly text: string;
      readonly latencyMs: number;
      readonly usage: CallTokens | null;
    }
  /** The endpoint does not serve the arm's model. This rehearsal cannot continue; others can. */
  | { readonly kind: "unserved"; readonly detail: string; readonly usage: null }
  | FailedReply;

/** Answers the inputs of rehearsals. */
export interface AnswerEndpoint {
  /** Asks once, without retries. Every behavior of the endpoint becomes a reply, never an exception. */
  answer(question: AnswerQuestion): Promise<AnswerReply>;
}

/** Opens the endpoint that answers for the arms of rehearsals. */
export async function openaiAnswers(
  settings: RehearsalSettings,
  options: ChatOptions = {},
): Promise<AnswerEndpoint> {
  const judges = { ...JUDGE_NAMES, who: OWN_NAMES.who, model: OWN_NAMES.model };
  const chat = await openChat(settings, settings.isJudges ? judges : OWN_NAMES, options);
  return {
    async answer({ arm, item, ...asking }) {
      const { model, parameters } = arm;
      const startedAt = performance.now();
      const outcome = await chat.complete({ ...parameters, model, messages: messagesFor(arm, item) }, asking);
      return replyOf(outcome, chat, Math.round(performance.now() - startedAt));
    },
  };
}

function replyOf(outcome: ChatOutcome, { names }: Chat, latencyMs: number): AnswerReply {
  if (outcome.kind === "completion")
    return readCompletion((text) => readAnswer(text, latencyMs), outcome.body, names);
  if (outcome.kind !== "status") return outcome;
  const { status, code, message } = outcome.fault;
  const reply = replyOfStatus(outcome.fault, names);
  const isUnserved = code === "model_not_found" || UNSERVED.includes(status) || OF_LITELLM.test(message);
  return isUnserved && (reply.kind === "fault" || reply.kind === "rejected")
    ? { kind: "unserved", detail: reply.detail, usage: null }
    : reply;
}

function readAnswer(text: string, latencyMs: number) {
  return text.trim() === ""
    ? ({ kind: "malformed", detail: "The answer is empty." } as const)
    : ({ kind: "answered", text, latencyMs } as const);
}
