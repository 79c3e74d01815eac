import { type CallTokens, isRecord, type JudgeScale, readJudgeAnswer } from "@assay/domain";
import type { JudgeReply } from "./judge-endpoint.ts";
import { replyOfStatus, shorten } from "./judge-faults.ts";

/** Reads a chat completion, however malformed, as a reply to a question on the scale. */
export function readCompletion(scale: JudgeScale, body: unknown): JudgeReply {
  if (!isRecord(body)) return noCompletion;
  // Proxies answer like this when the model behind them fails.
  if (isRecord(body.error) && body.choices === undefined) return replyOfError(body.error);
  if (!Array.isArray(body.choices)) return noCompletion;
  const choice: unknown = body.choices[0];
  return readChoice(scale, isRecord(choice) ? choice : {}, readUsage(body.usage));
}

const noCompletion: JudgeReply = {
  kind: "fault",
  detail: "The answer is not a chat completion: check ASSAY_JUDGE_URL (/chat/completions follows it)",
};

function replyOfError({ code, message }: Readonly<Record<string, unknown>>): JudgeReply {
  return replyOfStatus({
    status: typeof code === "number" && code >= 400 ? code : 500,
    code: typeof code === "string" ? code : null,
    param: null,
    message: String(message ?? ""),
    headers: new Headers(),
  });
}

type Choice = Readonly<Record<string, unknown>>;

function readChoice(scale: JudgeScale, choice: Choice, usage: CallTokens | null): JudgeReply {
  const { finish_reason: finish } = choice;
  const message = isRecord(choice.message) ? choice.message : {};
  if (typeof message.refusal === "string" && message.refusal !== "")
    return { kind: "refused", detail: shorten(message.refusal), usage };
  if (finish === "content_filter")
    return { kind: "refused", detail: "The endpoint's content filter stopped the answer.", usage };
  const read = readJudgeAnswer(scale, typeof message.content === "string" ? message.content : "");
  if (read.kind === "malformed" && finish === "length")
    return { ...read, detail: `The answer was cut off at the model's limit. ${read.detail}`, usage };
  return { ...read, usage };
}

/** Reads the token counts. Counts that the endpoint does not report are null, as is the result when there are none. */
function readUsage(usage: unknown): CallTokens | null {
  if (!isRecord(usage)) return null;
  const detail = (name: string, field: string) => {
    const details = usage[name];
    return toCount(isRecord(details) ? details[field] : null);
  };
  return {
    inputTokens: toCount(usage.prompt_tokens),
    cachedInputTokens: detail("prompt_tokens_details", "cached_tokens"),
    outputTokens: toCount(usage.completion_tokens),
    reasoningTokens: detail("completion_tokens_details", "reasoning_tokens"),
  };
}

function toCount(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
