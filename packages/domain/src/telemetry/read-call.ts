import type { RawEvent } from "../event/check-event.ts";
import { MAX_NAME } from "../event/fields.ts";
import { parseTimestamp } from "../event/timestamp.ts";
import { isRecord, type Json } from "../json.ts";
import {
  type CallAttribute,
  DIALECTS,
  type Dialect,
  type NumberedMessages,
  type SpanKinds,
} from "./dialects.ts";
import { cutText, messagesText, numberedText, parseBounded } from "./message-text.ts";
import { shortValues } from "./short-values.ts";
import { type Attributes, amountAt, type Span, textAt } from "./span.ts";

/** A model call as read from a span. */
export interface ReadCall {
  /** The fields of a `model_call`. Fields that the span does not contain are absent. */
  readonly fields: RawEvent;
  readonly isStream: boolean;
}

/** Returns the dialect of a span; undefined for spans that have nothing to do with models. */
export function dialectOf({ attributes }: Span): Dialect | undefined {
  return DIALECTS.find(({ markers }) => markers.some((marker) => attributes.has(marker)));
}

/** Whether a span is of a kind. */
function isOfKind({ attributes }: Span, { attribute, values }: SpanKinds): boolean {
  return values.includes(String(attributes.get(attribute)));
}

const NO_NAMES: readonly string[] = [];

/** Reads what model calls and tool calls have in common. */
function commonOf(span: Span, dialect: Dialect, attributes: Attributes) {
  const names = (what: CallAttribute) => dialect.attributes[what] ?? NO_NAMES;
  const text = (what: CallAttribute) => textAt(attributes, names(what));
  const errorType = text("errorType") ?? exceptionOf(span);
  const isFailed = span.isFailed || errorType !== null || saysFailed(attributes, dialect);
  return {
    names,
    text,
    fields: {
      latency_ms: span.endedAt === null ? null : rounded(Math.max(0, span.endedAt - span.startedAt)),
      agent_name: nameOf(text("agentName")),
      error: isFailed,
      error_type: isFailed ? nameOf(errorType ?? "error") : null,
      sampling_probability: span.samplingProbability ?? null,
    },
    metadata: {
      trace_id: span.traceId,
      span_id: span.spanId,
      instrumentation: nameOf(span.scope),
      dialect: `${dialect.name}/${dialect.version}`,
      attributes: unread(span.attributes, dialect),
    },
  };
}

/** Reads a span of a dialect as a tool call: the fields of a `tool_call`. Null for other spans. */
export function readTool(span: Span, dialect: Dialect): RawEvent | null {
  if (dialect.tools === undefined || !isOfKind(span, dialect.tools)) return null;
  const { names, text, fields, metadata } = commonOf(span, dialect, span.attributes);
  const longText = (what: CallAttribute) => {
    const value = names(what)
      .map((name) => span.attributes.get(name) ?? "")
      .find(Boolean);
    if (value === undefined) return null;
    return cutText(typeof value === "string" ? value : JSON.stringify(value));
  };
  return withoutNulls({
    ...fields,
    tool_name: nameOf(text("toolName")) ?? UNNAMED_TOOL,
    tool_arguments: longText("toolArguments"),
    tool_result: longText("toolResult"),
    metadata: withoutNulls(metadata),
  });
}

/** Reads a span of a dialect as an agent's work: when it ended, and whether it failed. Null for other spans and without an end. */
export function readAgent(
  span: Span,
  dialect: Dialect,
): { readonly endedAt: number; readonly isFailed: boolean } | null {
  if (dialect.agents === undefined || !isOfKind(span, dialect.agents) || span.endedAt === null) return null;
  const { isFailed, attributes } = span;
  return { endedAt: span.endedAt, isFailed: isFailed || saysFailed(attributes, dialect) };
}

/** A tool call needs a name. */
const UNNAMED_TOOL = "unnamed";

/** Reads a span of a dialect as a model call; null for steps around calls. */
export function readCall(span: Span, dialect: Dialect): ReadCall | null {
  const kind = span.attributes.get(dialect.calls.attribute);
  if (!isOfKind(span, dialect.calls)) return null;
  const attributes = withObjects(span.attributes, dialect.objects ?? []);
  const { names, text, fields: common, metadata } = commonOf(span, dialect, attributes);
  const amount = (what: CallAttribute) => amountAt(attributes, names(what));
  const firstToken = firstTokenMs(span, attributes, dialect);
  const isStream =
    names("isStream").some((name) => attributes.get(name) === true) ||
    /stream/i.test(String(kind)) ||
    firstToken !== null;
  const fields = {
    ...common,
    time_to_first_token_ms: firstToken,
    model: nameOf(text("model")),
    requested_model: nameOf(text("requestedModel")),
    provider: nameOf(text("provider")),
    service_tier: nameOf(text("serviceTier")),
    ...usageOf(amount),
    cost_usd: costOf(attributes, dialect),
    finish_reason: nameOf(finishReason(attributes, names("finishReason"))),
    prompt: messageText(attributes, names("prompt"), dialect.prompts),
    response: messageText(attributes, names("response"), dialect.responses),
    metadata: withoutNulls({
      ...metadata,
      conversation_id: nameOf(text("conversationId")),
      temperature: amount("temperature"),
      top_p: amount("topP"),
      max_tokens: amount("maxTokens"),
      seed: amount("seed"),
    }),
  };
  return { fields: withoutNulls(fields), isStream };
}

function saysFailed(attributes: Attributes, { failure }: Dialect): boolean {
  return failure !== undefined && attributes.get(failure.attribute) === failure.value;
}

/** Whether a call reports token counts. */
export function hasUsage({ input_tokens, output_tokens }: RawEvent): boolean {
  return input_tokens !== undefined || output_tokens !== undefined;
}

/**
 * Converts usage to the form of events, in which cached and reasoning tokens are included in the totals. If the parts exceed the
 * total, they were counted separately from it, and are added.
 */
function usageOf(amount: (what: CallAttribute) => number | null): RawEvent {
  const [read, written] = [amount("cacheReadTokens"), amount("cacheWriteTokens")];
  const reasoning = amount("reasoningTokens");
  const [uncached, answer] = [amount("uncachedTokens"), amount("answerTokens")];
  const areWhole = uncached !== null && answer !== null && uncached + answer === amount("totalTokens");
  const [input, output] = areWhole ? [uncached, answer] : [amount("inputTokens"), amount("outputTokens")];
  return {
    input_tokens: whole(input, uncached, [read, written]),
    cached_input_tokens: read,
    cache_write_5m_tokens: written,
    audio_input_tokens: amount("audioInputTokens"),
    output_tokens: whole(output, answer, [reasoning]),
    reasoning_tokens: reasoning,
    audio_output_tokens: amount("audioOutputTokens"),
  };
}

function whole(all: number | null, rest: number | null, parts: readonly (number | null)[]): number | null {
  const sum = parts.reduce<number>((total, part) => total + (part ?? 0), 0);
  if (all === null) return rest === null ? null : rest + sum;
  return sum > all ? all + sum : all;
}

/** The total, or the sum of the kinds if there is none. */
function costOf(attributes: Attributes, { costs }: Dialect): number | null {
  if (costs === undefined) return null;
  const total = amountAt(attributes, [`${costs}.total`]);
  if (total !== null) return total;
  const kinds = [...attributes.keys()].filter((name) => name.startsWith(`${costs}.`));
  const amounts = kinds.flatMap((name) => amountAt(attributes, [name]) ?? []);
  return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount);
}

function firstTokenMs(span: Span, attributes: Attributes, { attributes: names, firstTokenEvent }: Dialect) {
  const ms = amountAt(attributes, names.firstTokenMs ?? []);
  if (ms !== null) return ms;
  const seconds = amountAt(attributes, names.firstTokenSeconds ?? []);
  if (seconds !== null) return seconds * 1000;
  const at =
    parseTimestamp(textAt(attributes, names.firstTokenAt ?? [])?.replaceAll('"', "")) ??
    span.events.find(({ name }) => name === firstTokenEvent)?.at;
  return at === undefined || at < span.startedAt ? null : rounded(at - span.startedAt);
}

/** Instants in milliseconds are exact to a microsecond. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

/** OpenTelemetry lists one reason per choice. */
function finishReason(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    const reason = Array.isArray(value) ? value[0] : value;
    if (typeof reason === "string" && reason !== "") return reason;
  }
  return null;
}

/** The exception that a span recorded, if it failed. */
function exceptionOf({ isFailed, events }: Span): string | null {
  const exception = isFailed ? events.find(({ name }) => name === "exception") : undefined;
  return exception === undefined ? null : textAt(exception.attributes, ["exception.type"]);
}

function messageText(
  attributes: Attributes,
  names: readonly string[],
  numbered: NumberedMessages | undefined,
): string | null {
  const spread = numbered === undefined ? "" : numberedText(attributes, numbered);
  if (spread !== "") return cutText(spread);
  for (const name of names) {
    const text = messagesText(attributes.get(name) ?? "");
    if (text !== "") return cutText(text);
  }
  return null;
}

/** Adds the fields of attributes that contain an object as JSON, two levels deep. */
function withObjects(attributes: Attributes, names: readonly string[]): Attributes {
  if (names.length === 0) return attributes;
  const all = new Map(attributes);
  for (const name of names) {
    const text = attributes.get(name);
    const value = typeof text === "string" ? parseBounded(text) : text;
    if (!isRecord(value)) continue;
    for (const [key, field] of Object.entries(value)) {
      all.set(`${name}.${key}`, field as Json);
      if (isRecord(field))
        for (const [inner, part] of Object.entries(field)) all.set(`${name}.${key}.${inner}`, part as Json);
    }
  }
  return all;
}

interface ReadNames {
  readonly read: ReadonlySet<string>;
  readonly heads: readonly string[];
}

/** The attributes that each dialect reads, by full name and by the head of numbered ones. */
const READ: ReadonlyMap<Dialect, ReadNames> = new Map(
  DIALECTS.map((dialect) => {
    const kinds = [
      dialect.calls.attribute,
      ...(dialect.tools === undefined ? [] : [dialect.tools.attribute]),
    ];
    const names = [...kinds, ...Object.values(dialect.attributes).flat()];
    const heads = [dialect.prompts, dialect.responses].flatMap((each) => each?.head.split("#")[0] ?? []);
    return [dialect, { read: new Set([...names, ...(dialect.objects ?? [])]), heads }];
  }),
);

/** Returns the attributes that the dialect does not read. Long values are dropped: they may be texts that are stored elsewhere. */
function unread(attributes: Attributes, dialect: Dialect): RawEvent | null {
  const { read, heads } = READ.get(dialect) as ReadNames;
  const rest: [string, Json][] = [];
  for (const [name, value] of attributes)
    if (!read.has(name) && !heads.some((head) => name.startsWith(head))) rest.push([name, value]);
  const kept = shortValues(rest);
  return Object.keys(kept).length === 0 ? null : kept;
}

/** Names in events have a limited length. */
function nameOf(text: string | null): string | null {
  return text === null || text.length <= MAX_NAME
    ? text
    : [...text.slice(0, 2 * MAX_NAME)].slice(0, MAX_NAME).join("");
}

function withoutNulls(fields: RawEvent): RawEvent {
  const kept: { [name: string]: unknown } = {};
  for (const name in fields) if (fields[name] !== null) kept[name] = fields[name];
  return kept;
}
