import { createHash } from "node:crypto";
import type { JudgeStep } from "./judge-step.ts";

/** The body of a request for a completion. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly temperature?: number;
  readonly response_format?: {
    readonly json_schema: { readonly schema: { readonly properties: { readonly score: ScoreSchema } } };
  };
}

interface ScoreSchema {
  readonly type: "string" | "integer" | "number";
}

interface JudgedData {
  readonly input?: string;
  readonly reference?: string;
  readonly answer: string;
}

interface ComparedData {
  readonly input: string;
  readonly reference?: string;
  readonly first: string;
  readonly second: string;
}

/** What a request wants: an answer to a user's message, a score of an answer, or the better of two. */
export function wanted({ messages }: ChatRequest): "answer" | "score" | "preference" {
  const said = messages[0]?.content ?? "";
  if (said.startsWith("You compare two answers")) return "preference";
  return said.startsWith("You score one answer") ? "score" : "answer";
}

/** Returns what is judged: the data of the last message. */
export function judgedData({ messages }: ChatRequest): JudgedData {
  return JSON.parse(messages.at(-1)?.content ?? "");
}

/** Returns what is compared. */
export function comparedData({ messages }: ChatRequest): ComparedData {
  return JSON.parse(messages.at(-1)?.content ?? "");
}

/** Writes a preference as a judge does. */
export function preference(better: "first" | "second" | "tie", reason = "It is as it is."): string {
  return JSON.stringify({ reason, better });
}

/** Writes a judgement as a judge does. */
export function judgement(score: number | string, reason = "It is as it is."): string {
  return JSON.stringify({ reason, score });
}

/** Writes the body of a completion: by default a score that the judged answer's hash decides, the same at every time. */
export function completionOf(request: ChatRequest, step: JudgeStep): string {
  if (step.body !== undefined) return step.body;
  const { refusal = null, finishReason: finish_reason = "stop" } = step;
  const content = step.content ?? (refusal === null ? saidTo(request) : null);
  const usage = usageOf(request, content ?? refusal ?? "");
  const message = { role: "assistant", content, refusal };
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    created: 0,
    model: request.model,
    choices: [{ index: 0, finish_reason, logprobs: null, message }],
    usage,
  });
}

/** An answer is a hash of what was asked, and the answer with the greater hash is better. */
function saidTo(request: ChatRequest): string {
  switch (wanted(request)) {
    case "answer":
      return `The answer is ${hashOf(JSON.stringify([request.model, request.messages]))}.`;
    case "score":
      return judgement(scoreOf(request));
    case "preference": {
      const { first, second } = comparedData(request);
      const [one, other] = [hashOf(first), hashOf(second)];
      return preference(one === other ? "tie" : one > other ? "first" : "second");
    }
  }
}

const hashOf = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE();

function scoreOf(request: ChatRequest): number | string {
  const hash = hashOf(judgedData(request).answer);
  switch (request.response_format?.json_schema.schema.properties.score.type) {
    case "integer":
      return 1 + (hash % 5);
    case "number":
      return hash / 2 ** 32;
    default:
      return hash % 4 === 0 ? "fail" : "pass";
  }
}

/** A token is four characters. */
function usageOf({ messages }: ChatRequest, said: string) {
  const asked = messages.reduce((sum, { content }) => sum + content.length, 0);
  const [prompt_tokens, completion_tokens] = [Math.ceil(asked / 4), Math.ceil(said.length / 4)];
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
