import { type CallTokens, isRecord } from "@assay/domain";
import type { FailedReply } from "./judge-endpoint.ts";
import { type EndpointNames, replyOfStatus, shorten } from "./judge-faults.ts";

type Malformed = { readonly kind: "malformed"; readonly detail: string };

/** Reads a model's text as what was asked for. */
export type ReadText<S> = (text: string) => S | Malformed;

type Reply<S> = (S & { readonly usage: CallTokens | null }) | FailedReply;

/** Reads a chat completion, however malformed, as a reply whose text `read` understands. */
export function readCompletion<S extends { readonly kind: string }>(
  read: ReadText<S>,
  body: unknown,
  names: EndpointNames,
): Reply<S> {
  const detail = `The answer is not a chat completion: check ${names.url} (/chat/completions follows it)`;
  if (!isRecord(body)) return { kind: "fault", detail };
  // Proxies answer like this when the model behind them fails.
  if (isRecord(body.error) && body.choices === undefined) return replyOfError(body.error, names);
  if (!Array.isArray(body.choices)) return { kind: "fault", detail };
  const choice: unknown = body.choices[0];
  return readChoice(read, isRecord(choice) ? choice : {}, readUsage(body.usage));
}

function replyOfError(
  { code, message }: Readonly<Record<string, unknown>>,
  names: EndpointNames,
): FailedReply {
  const fault = {
    status: typeof code === "number" && code >= 400 ? code : 500,
    code: typeof code === "string" ? code : null,
    param: null,
    message: String(message ?? ""),
    headers: new Headers(),
  };
  return replyOfStatus(fault, names);
}

type Choice = Readonly<Record<string, unknown>>;

function readChoice<S extends { readonly kind: string }>(
  readText: ReadText<S>,
  choice: Choice,
  usage: CallTokens | null,
): Reply<S> {
  const { finish_reason: finish } = choice;
  const message = isRecord(choice.message) ? choice.message : {};
  if (typeof message.refusal === "string" && message.refusal !== "")
    return { kind: "refused", detail: shorten(message.refusal), usage };
  if (finish === "content_filter")
    return { kind: "refused", detail: "The endpoint's content filter stopped the answer.", usage };
  const read = readText(typeof message.content === "string" ? message.content : "");
  if (!isMalformed(read)) return { ...read, usage };
  const { kind, detail } = read;
  return finish === "length"
    ? { kind, detail: `The answer was cut off at the model's limit. ${detail}`, usage }
    : { kind, detail, usage };
}

const isMalformed = (read: { readonly kind: string }): read is Malformed => read.kind === "malformed";

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
