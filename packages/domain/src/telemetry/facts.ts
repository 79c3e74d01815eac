import { murmur3 } from "@assay/bucketing";
import type { RawEvent } from "../event/check-event.ts";
import { isRecord, type Json, type JsonObject } from "../json.ts";
import { messagesText, parseBounded } from "./message-text.ts";
import { dialectOf, hasUsage, readAgent, readCall, readTool } from "./read-call.ts";
import { type Attributes, amountAt, type LogEvent, type Span, type SpanEvent, textAt } from "./span.ts";

/** A flag was evaluated for somebody. */
export interface EvaluationFact {
  readonly kind: "evaluation";
  readonly spanId: string | null;
  readonly flag: string;
  readonly variant: string;
  /** Null if the evaluation names no user. */
  readonly userId: string | null;
  /** Epoch milliseconds. For an evaluation of the whole trace, any instant in it. */
  readonly at: number;
  /** It comes from a trace's attributes or a piece, so its instant is not known. Without a span, it counts since the trace began. */
  readonly isOfTrace?: true;
  /** Whether a log record reports it, which arrives even if the spans of its trace do not. */
  readonly isLogged: boolean;
  /** The probability with which the span that reports it was kept; absent if unknown. */
  readonly samplingProbability?: number;
}

/** A model was called. */
export interface CallFact {
  readonly kind: "call";
  readonly spanId: string;
  readonly userId: string | null;
  readonly at: number;
  /** Fields of the `model_call`. */
  readonly fields: RawEvent;
  /** Name and version of the instrumentation. */
  readonly scope: string;
  readonly isStream: boolean;
  readonly hasUsage: boolean;
}

/** A tool was called. */
export interface ToolFact extends Pick<CallFact, "spanId" | "userId" | "at"> {
  readonly kind: "tool";
  /** Fields of the `tool_call`. */
  readonly fields: RawEvent;
}

/** An agent ended its work. The outermost agent's end is the run's end. */
export interface AgentEndFact extends Pick<CallFact, "spanId" | "userId"> {
  readonly kind: "agent-end";
  /** When it ended. */
  readonly at: number;
  readonly isFailed: boolean;
  readonly samplingProbability?: number;
}

/** An answer got a score. */
export interface ScoreFact {
  readonly kind: "score";
  readonly spanId: string | null;
  /** The id of the scored answer, if the score names no span of a call. */
  readonly responseId: string | null;
  readonly userId: string | null;
  readonly at: number;
  readonly name: string;
  readonly value: number;
  readonly metadata: RawEvent;
  /** The sender's own id of the score, if it has one. */
  readonly id?: string;
  /** As in `EvaluationFact`. */
  readonly samplingProbability?: number;
}

/** A message of a call. Instrumentations of the conventions up to 1.36 record each message as an event of its own. */
export interface TextFact {
  readonly kind: "text";
  readonly spanId: string;
  readonly at: number;
  readonly role: string;
  readonly text: string;
  /** Whether the model said it. */
  readonly isAnswer: boolean;
}

/** The trace is about a user. A lower rank is a more certain source. */
export interface UserFact {
  readonly kind: "user";
  readonly userId: string;
  readonly rank: number;
}

/** A span is inside another. Stored for spans that carry one of the other facts, and for steps around calls. */
export interface ParentFact {
  readonly kind: "parent";
  readonly spanId: string;
  readonly parentId: string;
}

/** A piece of a span that arrives in several: `assemble.ts` joins them. */
export interface PieceFact {
  readonly kind: "piece";
  readonly spanId: string;
  /** The flag's user, if the piece names one. */
  readonly userId: string | null;
  /** When it was sent. */
  readonly at: number;
  /** Adds to what was sent before. */
  readonly isUpdate: boolean;
  readonly scope: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly parentId: string | null;
  readonly attributes: JsonObject;
}

/** A model call whose span arrives in pieces. It has the same key as the joined call. */
export interface BegunFact {
  readonly kind: "begun";
  readonly spanId: string;
  readonly scope: string;
}

/** What one span or log record adds to its trace. A trace is any number of facts, in any order. */
export type TraceFact =
  | EvaluationFact
  | CallFact
  | ToolFact
  | AgentEndFact
  | ScoreFact
  | TextFact
  | UserFact
  | ParentFact
  | PieceFact
  | BegunFact;

export const EVALUATION_EVENT = "feature_flag.evaluation";
export const SCORE_EVENT = "gen_ai.evaluation.result";

/** The attributes that name an evaluation's flag, its variant and its user. */
interface EvaluationNames {
  readonly flag: readonly string[];
  readonly variant: readonly string[];
  readonly userId: readonly string[];
  readonly read: typeof textAt;
}

const evaluationNames = (prefix: string, read: typeof textAt): EvaluationNames => ({
  flag: [`${prefix}feature_flag.key`],
  variant: [`${prefix}feature_flag.result.variant`, `${prefix}feature_flag.variant`],
  userId: [`${prefix}feature_flag.context.id`],
  read,
});

export const TRACE_METADATA = "langfuse.trace.metadata.";
const ON_SPAN = evaluationNames("", textAt);
/** Langfuse's metadata may contain an evaluation too. */
const ON_OBSERVATION = evaluationNames("langfuse.observation.metadata.", metadataAt);
const ON_TRACE = evaluationNames(TRACE_METADATA, metadataAt);
/** The attributes that name a trace's user, most certain first. A session id stands in for a user if nothing better is known. */
const USERS = [
  ["user.id"],
  ["enduser.id"],
  ["langfuse.user.id"],
  ["traceloop.association.properties.user_id"],
  ["ai.telemetry.metadata.userId"],
  ["session.id"],
];

/** Reads what a span says about experiments. */
export function factsOfSpan(span: Span): readonly TraceFact[] {
  const { spanId, attributes } = span;
  const users = usersOf(attributes);
  const userId = users[0]?.userId ?? null;
  const own = { spanId, at: span.startedAt, attributes };
  const dialect = dialectOf(span);
  const call = dialect && readCall(span, dialect);
  const facts: TraceFact[] = [
    ...evaluationsOf(own, ON_SPAN, false),
    ...evaluationsOf(own, ON_OBSERVATION, false),
    ...evaluationsOfTrace(own),
  ];
  for (const event of span.events) facts.push(...factsOfEvent(event, { spanId, userId, isLogged: false }));
  const { samplingProbability = null } = span;
  const kept = samplingProbability === null ? null : { samplingProbability };
  if (kept !== null) for (const [index, fact] of facts.entries()) facts[index] = { ...fact, ...kept };
  facts.push(...users);
  if (call)
    facts.push({
      kind: "call",
      spanId,
      userId,
      at: span.startedAt,
      scope: span.scope,
      fields: call.fields,
      isStream: call.isStream,
      hasUsage: hasUsage(call.fields),
    });
  const tool = dialect && readTool(span, dialect);
  if (tool) facts.push({ kind: "tool", spanId, userId, at: span.startedAt, fields: tool });
  const agent = dialect && readAgent(span, dialect);
  if (agent)
    facts.push({ kind: "agent-end", spanId, userId, at: agent.endedAt, isFailed: agent.isFailed, ...kept });
  const { parentId } = span;
  if (parentId !== null && (dialect !== undefined || facts.length > 0))
    facts.push({ kind: "parent", spanId, parentId });
  return facts;
}

/** Reads what the attributes of a whole trace say about experiments. */
export function factsOfTrace(attributes: Attributes, at: number): readonly TraceFact[] {
  return [...evaluationsOfTrace({ attributes, at }), ...usersOf(attributes)];
}

/** Reads what a log record says about experiments. */
export function factsOfLog(log: LogEvent): readonly TraceFact[] {
  const users = usersOf(log.attributes);
  const userId = users[0]?.userId ?? null;
  return [...factsOfEvent(log, { spanId: log.spanId, userId, isLogged: true }), ...textsOf(log), ...users];
}

type Placed = Pick<LogEvent, "spanId" | "attributes" | "at">;

interface Reported {
  readonly spanId: string | null;
  readonly userId: string | null;
  /** Whether a log record reports it. */
  readonly isLogged: boolean;
}

function factsOfEvent(
  { name, at, attributes }: SpanEvent,
  { spanId, userId, isLogged }: Reported,
): readonly (EvaluationFact | ScoreFact)[] {
  const placed = { spanId, attributes, at };
  // `feature_flag` is the name until version 1.33 of the conventions, and in OpenFeature's hooks.
  if (name === EVALUATION_EVENT || name === "feature_flag") return evaluationsOf(placed, ON_SPAN, isLogged);
  return name === SCORE_EVENT ? scoresOf(placed, userId) : [];
}

/** An evaluation without a variant exposes nobody, for example if the user is outside the experiment. */
function evaluationsOf(
  { spanId, attributes, at }: Placed,
  names: EvaluationNames,
  isLogged: boolean,
): readonly EvaluationFact[] {
  const flag = names.read(attributes, names.flag);
  const variant = flag === null ? null : names.read(attributes, names.variant);
  if (flag === null || variant === null) return [];
  const userId = names.read(attributes, names.userId) ?? numberAt(attributes, names.userId);
  return [{ kind: "evaluation", spanId, flag, variant, userId, at, isLogged }];
}

function evaluationsOfTrace({ attributes, at }: Pick<Placed, "attributes" | "at">) {
  return evaluationsOf({ spanId: null, attributes, at }, ON_TRACE, false).map((evaluation) => ({
    ...evaluation,
    isOfTrace: true as const,
  }));
}

/** Langfuse's SDKs write metadata as JSON, but some write texts unquoted. */
function metadataAt(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name) ?? null;
    const plain = typeof value === "string" && /^\s*"/.test(value) ? parseBounded(value) : value;
    if (typeof plain === "string" ? plain !== "" : typeof plain === "number" || typeof plain === "boolean")
      return String(plain);
  }
  return null;
}

/** A score without a number moves no metric. */
function scoresOf({ spanId, attributes, at }: Placed, userId: string | null): readonly ScoreFact[] {
  const name = textAt(attributes, ["gen_ai.evaluation.name"]);
  const value = attributes.get("gen_ai.evaluation.score.value");
  if (name === null || typeof value !== "number") return [];
  const metadata = Object.fromEntries(
    [
      ["label", "gen_ai.evaluation.score.label"],
      ["explanation", "gen_ai.evaluation.explanation"],
      ["evaluator", "gen_ai.evaluation.evaluator"],
    ].flatMap(([field = "", attribute = ""]) => {
      const text = textAt(attributes, [attribute]);
      return text === null ? [] : [[field, text.slice(0, 2_000)]];
    }),
  );
  const responseId = textAt(attributes, ["gen_ai.response.id"]);
  return [{ kind: "score", spanId, responseId, userId, at, name, value, metadata }];
}

const MESSAGE = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** A message without content was recorded by an application that exports no texts. */
function textsOf({ name, spanId, at, body }: LogEvent): readonly TextFact[] {
  const isAnswer = name === "gen_ai.choice";
  const role = isAnswer ? "assistant" : MESSAGE.exec(name)?.[1];
  if (spanId === null || role === undefined || !isRecord(body)) return [];
  const message = isAnswer && isRecord(body.message) ? body.message : body;
  if (message.content === undefined && message.tool_calls === undefined) return [];
  return [{ kind: "text", spanId, at, role, text: messagesText(message as Json), isAnswer }];
}

function usersOf(attributes: Attributes): readonly UserFact[] {
  const users: UserFact[] = [];
  for (const [rank, names] of USERS.entries()) {
    const userId = textAt(attributes, names) ?? numberAt(attributes, names);
    if (userId !== null) users.push({ kind: "user", userId, rank });
  }
  return users;
}

/** Some applications number their users. */
function numberAt(attributes: Attributes, names: readonly string[]): string | null {
  return amountAt(attributes, names)?.toString() ?? null;
}

/** The first letters of fact keys. The event store uses them to find the evaluations and calls of a trace (`eventId`). */
export const FACT_LETTER = { evaluation: "e", loggedEvaluation: "l", call: "c" } as const;

/**
 * Returns the key that identifies a fact within its trace. A fact that is sent twice has the same key both times. Events are named by
 * the key, so nothing counts twice.
 */
export function factKey(fact: TraceFact): string {
  switch (fact.kind) {
    case "evaluation":
      return `${FACT_LETTER[fact.isLogged ? "loggedEvaluation" : "evaluation"]}${fact.spanId}-${digest([fact.flag, fact.variant, fact.userId, ...(fact.isOfTrace ? [] : [fact.at])])}`;
    case "call":
    case "begun":
      return `${FACT_LETTER.call}${fact.spanId}`;
    case "tool":
      return `x${fact.spanId}`;
    case "agent-end":
      return `r${fact.spanId}`;
    case "piece":
      return `o${fact.spanId}-${digest([fact])}`;
    case "score":
      if (fact.id !== undefined) return `s-${digest([fact.id])}`;
      return `s${fact.spanId}-${digest([fact.name, fact.value, fact.at, fact.responseId])}`;
    case "text":
      return `t${fact.spanId}-${digest([fact.role, fact.text, fact.at, fact.isAnswer])}`;
    case "user":
      return `u${fact.rank}-${digest([fact.userId])}`;
    case "parent":
      return `p${fact.spanId}`;
  }
}

/** 16 hex digits. */
function digest(parts: readonly unknown[]): string {
  const text = JSON.stringify(parts);
  return [1, 2].map((seed) => murmur3(text, seed).toString(16).padStart(8, "0")).join("");
}
