import { utf8Length } from "#platform";
import type { CoreClient } from "../core-client.ts";
import type { EventPayload } from "../event-row.ts";
import { textOr } from "../fields.ts";
import { boundText, MAX_TEXT_BYTES, messagesText } from "./call-text.ts";
import { fieldAt, textAt } from "./foreign-value.ts";
import type { ModelCallFacts, ModelCallFormat, UsageAsking } from "./model-call-format.ts";
import { startReading } from "./reading.ts";

/** The service refuses longer names. */
const MAX_NAME = 200;

/** What observing calls needs from the client. */
export interface CallHost {
  readonly client: Pick<CoreClient, "findAssignment" | "track">;
  /** The client's option with this name. */
  readonly mask: ((text: string, part: "prompt" | "response") => string | null) | undefined;
  /** Logs the message once. */
  warn(message: string): void;
}

/** A model call in progress. */
export interface CallRecord {
  /** The arguments to make the call with. */
  readonly args: readonly unknown[];
  /** Takes the whole result of a call without a stream; the call has ended. */
  finishWith(result: unknown): void;
  /** Takes a chunk of a stream. Returns true when the caller did not ask for it and must not see it. */
  takeChunk(chunk: unknown): boolean;
  /** Whether the provider refused only what we added to the arguments: then the call is to be made again without it. */
  isRefusal(error: unknown): boolean;
  /**
   * The call failed: takes what the provider threw and rethrows it. A call that the caller gave up does not count as failed.
   */
  fail(error: unknown): never;
  /** The call has ended. `isAborted`: the caller did not want the rest. */
  finish(isAborted?: boolean): void;
}

/** A model call that is about to be made. */
interface CallStart {
  readonly host: CallHost;
  readonly format: ModelCallFormat;
  /** The arguments as the caller gave them. */
  readonly args: readonly unknown[];
  readonly usage?: UsageAsking | undefined;
}

/**
 * Starts the record of a model call of this experiment, user and variant: once the call ends, it tracks one `model_call`. Only `fail`
 * throws.
 */
export function startRecord(
  { host, format, args: given, usage = { isAsked: true } }: CallStart,
  identity: EventPayload,
): CallRecord {
  const reading = startReading(readRequest(format, given[0]));
  const { facts } = reading;
  const startedAt = performance.now();
  const sinceStart = () => performance.now() - startedAt;
  let time_to_first_token_ms: number | undefined;
  let isFinished = false;
  const args = (usage.isAsked && attempt(host, () => format.askUsage?.(given))) || given;
  let hidesUsage = args !== given;
  const read = (answer: unknown) => attempt(host, () => format.read(answer, reading));

  const finish = (isAborted = false, hasFailed = false, isWaiting = false) => {
    // A call may reach its end in more than one way.
    if (isFinished) return;
    isFinished = true;
    if (isAborted || hasFailed) estimateUsage(facts);
    host.client.track("model_call", {
      ...facts,
      ...identity,
      error: facts.error_type != null,
      latency_ms: isWaiting ? undefined : sinceStart(),
      time_to_first_token_ms,
      prompt: maskedText(host, "prompt", facts),
      response: maskedText(host, "response", facts),
      ...(isAborted && { metadata: { outcome: "aborted" } }),
      ...(isWaiting && { metadata: { outcome: "background" } }),
    });
  };
  return {
    args,
    finish: (isAborted) => finish(isAborted),
    finishWith: (result) => {
      read(result);
      // The answer of a response in the background has not ended.
      finish(false, false, /^(queued|in_progress)$/.test(facts.finish_reason ?? ""));
    },
    takeChunk: (chunk) => {
      read(chunk);
      if (facts.response) time_to_first_token_ms ??= sinceStart();
      return hidesUsage && format.isUsageOnly?.(chunk) === true;
    },
    isRefusal: (error) => {
      const isRefused = hidesUsage && refusesUsage(error);
      if (isRefused) hidesUsage = usage.isAsked = false;
      return isRefused;
    },
    fail: (error) => {
      const type = errorTypeOf(error);
      const isAborted = /abort/i.test(type) || fieldAt(given[1], "signal", "aborted") === true;
      if (!isAborted) facts.error_type ??= type;
      finish(isAborted, true);
      throw error;
    },
  };
}

/** Estimates what a stream cut short did not count: one token for every 4 bytes of text. */
function estimateUsage(facts: ModelCallFacts): void {
  const { prompt, response, input_tokens, output_tokens } = facts;
  const output = output_tokens == null && estimateTokens(response);
  if (!output) return;
  const input = input_tokens ?? estimateTokens(prompt);
  Object.assign(
    facts,
    { output_tokens: output, usage_estimated: true },
    input !== null && { input_tokens: input },
  );
}

/** Null without a text, and for one that was cut at its limit. */
function estimateTokens(text: string | null | undefined): number | null {
  const bytes = utf8Length(text ?? "");
  return bytes === 0 || bytes > MAX_TEXT_BYTES ? null : Math.ceil(bytes / 4);
}

/** Most providers use the same names for the input of a call. */
function readRequest({ provider, toRequest }: ModelCallFormat, body: unknown): ModelCallFacts {
  const request = toRequest?.(body) ?? body;
  const messages = fieldAt(request, "messages") ?? fieldAt(request, "input") ?? fieldAt(request, "prompt");
  const system = fieldAt(request, "system") ?? fieldAt(request, "instructions");
  const requested_model = textAt(request, "model") || undefined;
  return { provider, requested_model, prompt: messagesText(messages, system) };
}

/** Some backends that are compatible with OpenAI do not know the option that asks for the usage of a stream. */
function refusesUsage(error: unknown): boolean {
  const names = `${textAt(error, "message")} ${textAt(error, "param")}`;
  return (
    [400, 422].includes(fieldAt(error, "status") as number) && /stream_options|include_usage/.test(names)
  );
}

/** OpenAI and Anthropic name their error classes but do not set `name`. A bundler may rename a class. */
function errorTypeOf(error: unknown): string {
  const name = textAt(error, "name");
  return ((name !== "Error" && name) || textAt(error, "constructor", "name") || "Error").slice(0, MAX_NAME);
}

function maskedText(host: CallHost, part: "prompt" | "response", facts: ModelCallFacts) {
  const { mask } = host;
  const text = facts[part];
  // Without a text there is nothing to mask.
  const masked = mask && text ? attempt(host, () => mask(text, part)) : text;
  return boundText(textOr(masked, "")) || undefined;
}

/** `mask` and `extract` are the caller's code. If one throws, its result is left out. */
function attempt<T>(host: CallHost, work: () => T): T | null {
  try {
    return work();
  } catch {
    host.warn("mask or extract threw");
    return null;
  }
}
