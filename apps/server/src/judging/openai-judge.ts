import {
  type JudgeRequest,
  judgeRequest,
  pairwiseRequest,
  readJudgeAnswer,
  readPreferenceAnswer,
} from "@assay/domain";
import type { JudgeSettings } from "../settings/judge-settings.ts";
import type { Asking, JudgeEndpoint } from "./judge-endpoint.ts";
import { JUDGE_NAMES, replyOfStatus, type StatusFault } from "./judge-faults.ts";
import { type ChatOptions, openChat } from "./openai-chat.ts";
import { type ReadText, readCompletion } from "./read-completion.ts";

/** Parameters that some models and servers do not accept and a judge can do without. */
const OPTIONAL = ["temperature", "response_format"] as const;
type Optional = (typeof OPTIONAL)[number];

/** Opens the judge at an OpenAI-compatible endpoint. An optional parameter that it rejects is omitted from then on. */
export async function openaiJudge(
  settings: JudgeSettings,
  options: ChatOptions = {},
): Promise<JudgeEndpoint> {
  const chat = await openChat(settings, JUDGE_NAMES, options);
  const { model } = settings;
  const left = new Set<Optional>(OPTIONAL);

  async function ask<S extends { readonly kind: string }>(
    request: JudgeRequest,
    read: ReadText<S>,
    { idempotencyKey, signal }: Asking,
  ) {
    for (;;) {
      const sent = OPTIONAL.filter((name) => left.has(name));
      // A different body needs a different key, or the endpoint would refuse it.
      const key = [idempotencyKey, ...OPTIONAL.filter((name) => !sent.includes(name))].join("-");
      const outcome = await chat.complete(bodyOf(model, request, sent), { idempotencyKey: key, signal });
      if (outcome.kind === "completion") return readCompletion(read, outcome.body, JUDGE_NAMES);
      if (outcome.kind !== "status") return outcome;
      const unsupported = sent.filter((name) => isUnsupported(name, outcome.fault));
      if (unsupported.length === 0) return replyOfStatus(outcome.fault, JUDGE_NAMES);
      for (const name of unsupported) left.delete(name);
    }
  }

  return {
    model,
    ask: ({ judge, judged, ...asking }) =>
      ask(judgeRequest(judge, judged), (text) => readJudgeAnswer(judge.scale, text), asking),
    compare: ({ rubric, pair, ...asking }) =>
      ask(pairwiseRequest(rubric, pair), readPreferenceAnswer, asking),
  };
}

function bodyOf(model: string, { messages, schema }: JudgeRequest, sent: readonly Optional[]) {
  const optional = {
    temperature: 0,
    response_format: {
      type: "json_schema" as const,
      json_schema: { name: "judgement", strict: true, schema: { ...schema } },
    },
  };
  return { model, messages, ...Object.fromEntries(sent.map((name) => [name, optional[name]])) };
}

function isUnsupported(name: Optional, { status, param, message }: StatusFault): boolean {
  if (status !== 400 && status !== 422) return false;
  return param === null ? message.includes(name) : param.startsWith(name);
}
