import { later } from "#platform";
import type { ClientOptions } from "../client-options.ts";
import type { CoreClient } from "../core-client.ts";
import type { EventPayload } from "../event-row.ts";
import { textOr } from "../fields.ts";
import { boundText, MAX_TEXT_BYTES, messagesText } from "./call-text.ts";
import { fieldAt, textAt } from "./foreign-value.ts";
import type { ModelCallFacts, ModelCallFormat, UsageAsking } from "./model-call-format.ts";
import { startReading } from "./reading.ts";

/** The service rejects longer names. */
const MAX_NAME = 200;

/** What observing calls needs from the client. */
export interface CallHost extends Pick<CoreClient, "findAssignment" | "track"> {
  /** The client's options. */
  readonly options: Pick<ClientOptions, "mask">;
  /** Set once a framework's handler observes calls of this client. */
  readonly frameworks?: FrameworkObserver | undefined;
  /** Logs the message once. */
  warn(message: string): void;
}

/** The state of a call that a framework reports. */
export interface FrameworkState {
  /** Whether the answer has begun. A call that starts afterward is a different one. */
  isAnswered: boolean;
  /** Whether a wrapped client's call started inside it, which the framework may have made. */
  hasInner?: boolean;
}

/** Recognizes calls that both a framework's handler and a wrapped client observe. The identity is the same object throughout a call. */
export interface FrameworkObserver {
  /** A call starts. Returns whether its exposure is already recorded. */
  start(identity: EventPayload, framework: FrameworkState | undefined): boolean;
  /** A call has ended. Tracks its event, unless it is already recorded. `answer` is the first part of its answer. */
  end(identity: EventPayload, event: EventPayload, answer: unknown): void;
}

/** A model call in progress. */
export interface CallRecord {
  /** The arguments to make the call with. */
  readonly args: readonly unknown[];
  /** Handles the complete result of a call that is not a stream. The call has ended. */
  finishWith(result: unknown): void;
  /** Accepts a chunk of a stream. Returns a truthy value when the caller did not request the chunk and must not see it. */
  take(chunk: unknown): unknown;
  /** Whether the provider rejected only what we added to the arguments. The call must then be repeated without it. */
  isRefusal(error: unknown): boolean;
  /** The call failed: takes what the provider threw and rethrows it. A call that the caller canceled does not count as failed. */
  fail(error: unknown): never;
  /** The call has ended. `isAborted`: the caller did not want the rest. */
  finish(isAborted?: unknown): void;
}

/** A model call that is about to be made. */
interface CallStart {
  readonly host: CallHost;
  readonly format: ModelCallFormat;
  readonly baseUrl?: string;
  /** The arguments as the caller gave them. */
  readonly args: readonly unknown[];
  readonly usage?: UsageAsking | undefined;
}

/**
 * Starts the record of a model call of this experiment, user and variant: once the call ends, it tracks one `model_call`. Only `fail`
 * throws.
 */
export function startRecord(
  { host, format, baseUrl, args: given, usage }: CallStart,
  identity: EventPayload,
  metadata: Record<string, unknown>,
): CallRecord {
  const reading = startReading(readRequest(format, given[0]), baseUrl);
  const { facts } = reading;
  const startedAt = performance.now();
  const sinceStart = () => performance.now() - startedAt;
  let isStream = false;
  let isFinished = false;
  const args = (usage?.isAsked && attempt(host, () => format.askUsage?.(given))) || given;
  let hidesUsage = args !== given;
  let first: unknown;
  const read = (answer: unknown) => {
    first ??= answer;
    attempt(host, () => format.read(answer, reading));
  };

  const finish = (isAborted?: unknown) => {
    // A call may reach its end in more than one way.
    if (isFinished) return;
    isFinished = true;
    const latency_ms = sinceStart();
    const track = (outcome?: string | null) => {
      for (const part of ["prompt", "response"] as const) facts[part] = maskedText(host, part, facts[part]);
      const all = { ...metadata, ...(outcome && { outcome }) };
      const event = {
        ...facts,
        ...identity,
        error: facts.error_type != null,
        latency_ms: outcome === "background" ? undefined : latency_ms,
        metadata: Object.keys(all).length ? all : undefined,
      };
      if (host.frameworks) host.frameworks.end(identity, event, first);
      else host.track("model_call", event);
    };
    later(
      ({ completeFacts }) => track(completeFacts(reading, isStream, isAborted, MAX_TEXT_BYTES)),
      () => track(),
    );
  };
  return {
    args,
    finish,
    finishWith: (result) => {
      read(result);
      finish();
    },
    take: (chunk) => {
      isStream = !format.isExtracted;
      read(chunk);
      if (facts.response) facts.time_to_first_token_ms ??= sinceStart();
      return hidesUsage && format.isUsage?.(chunk);
    },
    isRefusal: (error) => {
      if (!hidesUsage || !refusesUsage(error)) return false;
      hidesUsage = usage!.isAsked = false;
      return true;
    },
    fail: (error) => {
      const type = errorTypeOf(error);
      const isAborted = /abort/i.test(type) || fieldAt(given[1], "signal", "aborted");
      if (!isAborted) facts.error_type ??= type;
      finish(isAborted);
      throw error;
    },
  };
}

/** Reads the input of a call. Most providers use the same names; Google has its own. */
function readRequest({ provider }: ModelCallFormat, body: unknown): ModelCallFacts {
  const contents = fieldAt(body, "contents");
  // Messages, or a string or the parts of one user message.
  const isMessages = !contents || fieldAt([contents].flat(), 0, "parts");
  const messages = fieldAt(body, "messages") ?? fieldAt(body, "input") ?? fieldAt(body, "prompt");
  return {
    provider,
    requested_model: textAt(body, "model") || undefined,
    prompt: messagesText(
      messages ?? (isMessages ? contents : { role: "user", content: contents }),
      fieldAt(body, "system") ??
        fieldAt(body, "instructions") ??
        fieldAt(body, "config", "systemInstruction"),
    ),
  };
}

/** Some backends that are compatible with OpenAI do not accept the option that requests a stream's usage. */
function refusesUsage(error: unknown): boolean {
  const names = `${textAt(error, "message")} ${textAt(error, "param")}`;
  const status = fieldAt(error, "status");
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(names);
}

/** OpenAI and Anthropic name their error classes but do not set `name`. A bundler may rename a class. */
export function errorTypeOf(error: unknown): string {
  const name = textAt(error, "name");
  return ((name !== "Error" && name) || textAt(error, "constructor", "name") || "Error").slice(0, MAX_NAME);
}

export function maskedText(
  host: Pick<CallHost, "options" | "warn">,
  part: "prompt" | "response",
  text: string | null | undefined,
) {
  const { mask } = host.options;
  // Without a text there is nothing to mask.
  const masked = mask && text ? attempt(host, () => mask(text, part)) : text;
  return boundText(textOr(masked, "")) || undefined;
}

/** `mask` and `extract` are the caller's code. If one throws, its result is left out. */
function attempt<T>(host: Pick<CallHost, "warn">, work: () => T): T | null {
  try {
    return work();
  } catch {
    host.warn("mask or extract threw");
    return null;
  }
}
