import type { RawEvent } from "../event/check-event.ts";
import { assemble, type WholeCall } from "./assemble.ts";
import {
  type AgentEndFact,
  type CallFact,
  factKey,
  type ScoreFact,
  type TextFact,
  type ToolFact,
  type TraceFact,
  type UserFact,
} from "./facts.ts";
import { cutText, joinedMessages } from "./message-text.ts";
import {
  callEvent,
  endEvent,
  exposure,
  type FlaggedExperiment,
  factOf,
  type KnownEvaluation,
  type Place,
  type Subjects,
  scoreEvent,
} from "./trace-events.ts";

/** The facts of a trace, in any order and with repetitions. */
export interface Trace {
  readonly traceId: string;
  readonly facts: readonly TraceFact[];
}

/** Why a model call, a tool call or a score became no event. */
export const UNJOINED = [
  "no-evaluation",
  "no-user",
  "several-users",
  "no-unit",
  "unfinished",
  "refused",
] as const;
export type Unjoined = (typeof UNJOINED)[number];

/** The outcome of a call or a score: an event; none, because a call inside it is the event; or the reason why it has no place. */
export type TraceOutcome = "event" | "outer-call" | Unjoined;

/** The events of a trace, and the outcomes of its calls and scores. */
export interface SettledTrace {
  /** Rows in the form that `/v1/events` accepts. */
  readonly rows: readonly RawEvent[];
  /** The outcome of each call and score, by the key of its fact. */
  readonly outcomes: ReadonlyMap<string, TraceOutcome>;
  /** Each call that arrived in pieces and is over, by the key of its fact. */
  readonly wholes: ReadonlyMap<string, WholeCall>;
}

/** Returns the experiment that a flag names; null if it names none. */
export type ExperimentOf = (flag: string) => FlaggedExperiment | null;

/** Returns the exposures of evaluations that name the exposed unit themselves, so that the rest of the trace is not needed. */
export function ownExposures({ traceId, facts }: Trace, experimentOf: ExperimentOf): readonly RawEvent[] {
  return evaluationsIn(facts, experimentOf)
    .filter(isOwn)
    .map((evaluation) => {
      const { experiment, userId } = evaluation;
      return exposure(
        traceId,
        evaluation,
        subjectsIn(experiment, userId!, { traceId, conversationId: null })!,
      );
    });
}

/** Whether an evaluation names the exposed unit itself. Conversations are named only by calls. */
function isOwn({ userId, isOfTrace, experiment }: KnownEvaluation): boolean {
  return userId !== null && !isOfTrace && experiment.unit !== "conversation";
}

/** The user and unit of a trace in an experiment. If the unit is the run, the trace is the unit. Null if the unit is not known. */
function subjectsIn(
  { unit }: FlaggedExperiment,
  userId: string,
  { traceId, conversationId }: Pick<ReadTrace, "traceId" | "conversationId">,
): Subjects | null {
  if (unit === "user") return { userId, unitId: null };
  const unitId = unit === "run" ? traceId : conversationId;
  return unitId === null ? null : { userId, unitId };
}

/**
 * Joins a trace: every call and score belongs to the users and variants of the evaluations around it. The result is a function of
 * the set of facts, whatever their order.
 *
 * - The evaluation on the same span, or on the nearest span around it, decides. Without one, the evaluations of the whole trace decide,
 *   if they agree on the user.
 * - An evaluation that does not name its user belongs to the call's user, otherwise to the trace's.
 * - The run is the trace. It ends when the outermost agent ends.
 * - Of nested calls, only the innermost count, because an outer call repeats their usage. If there is a single inner call, fields that
 *   it lacks are taken from the outer one.
 */
export function settleTrace({ traceId, facts }: Trace, experimentOf: ExperimentOf): SettledTrace {
  const assembled = assemble(traceId, facts);
  const known = sortedOnce(assembled.facts);
  const trace = readTrace({ traceId, facts: known }, experimentOf);
  const rows: RawEvent[] = [];
  for (const evaluation of trace.evaluations) {
    const userId = evaluation.userId ?? trace.userId;
    // Evaluations that name their unit became exposures when they arrived (`ownExposures`).
    if (userId === null || isOwn(evaluation)) continue;
    const subjects = subjectsIn(evaluation.experiment, userId, trace);
    if (subjects !== null) rows.push(exposure(traceId, evaluation, subjects));
  }
  const outcomes = new Map<string, TraceOutcome>(assembled.unfinished.map((key) => [key, "unfinished"]));
  for (const call of trace.calls.values()) {
    const inner = trace.innerCalls.get(call.spanId) ?? [];
    if (inner.length > 0) {
      outcomes.set(factKey(call), "outer-call");
      continue;
    }
    const joined = join(call, call.spanId, trace);
    if (typeof joined !== "string")
      rows.push(...joined.map((place) => callEvent(traceId, completed(call, trace), place)));
    outcomes.set(factKey(call), typeof joined === "string" ? joined : "event");
  }
  for (const tool of known.filter((fact) => fact.kind === "tool")) {
    const joined = join(tool, tool.spanId, trace);
    if (typeof joined !== "string") rows.push(...joined.map((place) => callEvent(traceId, tool, place)));
    outcomes.set(factKey(tool), typeof joined === "string" ? joined : "event");
  }
  for (const end of outermostEnds(known, trace)) {
    const joined = join(end, end.spanId, trace);
    if (typeof joined !== "string") rows.push(...joined.map((place) => endEvent(traceId, end, place)));
  }
  for (const score of known.filter((fact) => fact.kind === "score")) {
    const joined = join(score, scoredSpan(score, trace), trace);
    if (typeof joined !== "string") rows.push(...joined.map((place) => scoreEvent(traceId, score, place)));
    outcomes.set(factKey(score), typeof joined === "string" ? joined : "event");
  }
  const begun = new Set(facts.filter(({ kind }) => kind === "begun").map(factKey));
  const wholes = [...trace.calls.values()].filter((call) => begun.has(factKey(call)));
  return { rows, outcomes, wholes: new Map(wholes.map((call) => [factKey(call), call])) };
}

/** Updates the outcomes of a trace's calls and scores after some rows, given by id, were refused: one without any other row is no event. */
export function withRefusals(
  traceId: string,
  { rows, outcomes }: SettledTrace,
  refused: ReadonlySet<unknown>,
): SettledTrace["outcomes"] {
  const kept = new Set(rows.filter((row) => !refused.has(row.event_id)).map((row) => factOf(traceId, row)));
  return new Map(
    [...outcomes].map(([key, outcome]) => [key, outcome === "event" && !kept.has(key) ? "refused" : outcome]),
  );
}

/** Finds the evaluation that decides for a call of a trace, in one experiment. */
interface Deciders {
  /** The evaluation on a span, or on the nearest span around it that has one. */
  readonly around: (spanId: string) => KnownEvaluation | undefined;
  /** The evaluation of the whole trace; undefined if there are several users. */
  readonly anywhere: KnownEvaluation | undefined;
}

interface ReadTrace {
  readonly traceId: string;
  /** The conversation that its calls name; null if they name none or several. */
  readonly conversationId: string | null;
  /** Evaluations of experiments' flags, earliest first. */
  readonly evaluations: readonly KnownEvaluation[];
  /** By experiment. */
  readonly deciders: ReadonlyMap<string, Deciders>;
  readonly calls: ReadonlyMap<string, CallFact>;
  /** The parents of spans. */
  readonly parents: ReadonlyMap<string, string>;
  /** The nearest call around a span. */
  readonly outerCall: (spanId: string) => CallFact | undefined;
  /** The calls' spans, by the ids of their answers. */
  readonly answers: ReadonlyMap<unknown, string>;
  /** By span, sorted by time. */
  readonly texts: ReadonlyMap<string, readonly TextFact[]>;
  /** The calls directly inside each call. */
  readonly innerCalls: ReadonlyMap<string, readonly CallFact[]>;
  /** Null when nobody or several are named. */
  readonly userId: string | null;
  readonly hasSeveralUsers: boolean;
}

function readTrace({ traceId, facts }: Trace, experimentOf: ExperimentOf): ReadTrace {
  const calls = new Map(facts.filter((fact) => fact.kind === "call").map((call) => [call.spanId, call]));
  const parents = new Map(
    facts.filter((fact) => fact.kind === "parent").map(({ spanId, parentId }) => [spanId, parentId]),
  );
  const nearestCall = nearest(parents, (spanId) => calls.get(spanId));
  const outerCall = (spanId: string) => {
    const found = nearestCall(parents.get(spanId) ?? "");
    return found?.spanId === spanId ? undefined : found;
  };
  const inner = Map.groupBy(calls.values(), ({ spanId }) => outerCall(spanId)?.spanId ?? "");
  inner.delete("");
  const evaluations = evaluationsIn(facts, experimentOf);
  const byExperiment = Map.groupBy(evaluations, (each) => each.experiment.id);
  const texts = facts.filter((fact) => fact.kind === "text").sort((one, other) => one.at - other.at);
  const users = usersOf(facts);
  const conversations = new Set([...calls.values()].flatMap(({ fields }) => conversationOf(fields) ?? []));
  return {
    traceId,
    conversationId: conversations.size === 1 ? [...conversations][0]! : null,
    ...{ evaluations, calls, parents, outerCall, innerCalls: inner },
    deciders: new Map([...byExperiment].map(([id, own]) => [id, decidersOf(own, parents)])),
    // Reversed, so that the first of several calls with the same answer id wins.
    answers: new Map([...calls.values()].reverse().map((call) => [responseIdOf(call.fields), call.spanId])),
    texts: Map.groupBy(texts, ({ spanId }) => spanId),
    userId: users.length === 1 ? (users[0] as string) : null,
    hasSeveralUsers: users.length > 1,
  };
}

/** Returns the ends of agents that are inside no other agent's span, as far as the spans between them are known. */
function outermostEnds(facts: readonly TraceFact[], { parents, calls }: ReadTrace): readonly AgentEndFact[] {
  const ends = new Map(facts.filter((fact) => fact.kind === "agent-end").map((end) => [end.spanId, end]));
  const nearestEnd = nearest(parents, (spanId) => ends.get(spanId));
  const outermost = [...ends.values()].filter(({ spanId }) => {
    const around = nearestEnd(parents.get(spanId) ?? "");
    return around === undefined || around.spanId === spanId;
  });
  return outermost.map((end) => ({ ...end, isFailed: end.isFailed || endsInError(end, calls) }));
}

/** Whether the last model call before an end failed: some instrumentations do not mark the agent whose call threw. */
function endsInError({ at }: AgentEndFact, calls: ReadTrace["calls"]): boolean {
  const before = [...calls.values()].filter((call) => call.at <= at);
  const last = before.reduce<CallFact | null>(
    (latest, call) => (latest !== null && latest.at > call.at ? latest : call),
    null,
  );
  return last?.fields.error === true;
}

/** The earliest instant that is known of a trace. */
function beginOf(facts: readonly TraceFact[]): number {
  return facts.reduce((first, fact) => ("at" in fact ? Math.min(first, fact.at) : first), Infinity);
}

/** Removes repetitions and sorts by key. Wherever one of several facts is taken, this order decides. */
function sortedOnce(facts: readonly TraceFact[]): readonly TraceFact[] {
  const byKey = new Map<string, TraceFact>();
  for (const fact of facts) byKey.set(factKey(fact), fact);
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, fact]) => fact);
}

function evaluationsIn(facts: readonly TraceFact[], experimentOf: ExperimentOf): readonly KnownEvaluation[] {
  const begin = beginOf(facts);
  return facts
    .filter((fact) => fact.kind === "evaluation")
    .flatMap((fact) => {
      const experiment = experimentOf(fact.flag);
      if (experiment === null) return [];
      const isSinceBegin = fact.isOfTrace && fact.spanId === null;
      return [{ ...fact, experiment, at: isSinceBegin ? begin : fact.at }];
    })
    .sort((one, other) => one.at - other.at);
}

/** The users that the most certain source names. Evaluations are the most certain. */
function usersOf(facts: readonly TraceFact[]): readonly string[] {
  const named = [
    ...facts.flatMap((fact): readonly UserFact[] =>
      fact.kind === "evaluation" && fact.userId !== null
        ? [{ kind: "user", userId: fact.userId, rank: -1 }]
        : [],
    ),
    ...facts.filter((fact) => fact.kind === "user"),
  ];
  const best = Math.min(...named.map(({ rank }) => rank));
  return [...new Set(named.filter(({ rank }) => rank === best).map(({ userId }) => userId))];
}

/**
 * Makes a function that finds the value of the nearest span around a span, starting with the span itself. It visits each span at most
 * once, so long chains are cheap and circles end.
 */
function nearest<T>(
  parents: ReadonlyMap<string, string>,
  find: (spanId: string) => T | undefined,
): (spanId: string) => T | undefined {
  const known = new Map<string, T | undefined>();
  return (spanId) => {
    const path = new Set<string>();
    let found: T | undefined;
    for (let at: string | undefined = spanId; at !== undefined && !path.has(at); at = parents.get(at)) {
      path.add(at);
      found = known.get(at) ?? find(at);
      if (found !== undefined || known.has(at)) break;
    }
    for (const passed of path) known.set(passed, found);
    return found;
  };
}

/** Fills in missing fields of a call: from its messages, then from the calls around it, as long as these contain no other call. */
function completed(call: CallFact, { outerCall, innerCalls, texts }: ReadTrace): CallFact {
  const own = texts.get(call.spanId);
  let at = outerCall(call.spanId);
  if (own === undefined && at === undefined) return call;
  let fields = { ...textsIn(own ?? []), ...call.fields };
  while (at !== undefined && innerCalls.get(at.spanId)?.length === 1) {
    fields = { ...at.fields, ...fields };
    at = outerCall(at.spanId);
  }
  return { ...call, fields };
}

function textsIn(texts: readonly TextFact[]): RawEvent {
  const { answers = [], questions = [] } = Object.groupBy(texts, ({ isAnswer }) =>
    isAnswer ? "answers" : "questions",
  );
  return {
    ...(questions.length === 0 ? {} : { prompt: cutText(joinedMessages(questions)) }),
    ...(answers.length === 0 ? {} : { response: cutText(joinedMessages(answers)) }),
  };
}

/** The span of the scored call: the score's own span, or the span of the call whose answer it names. */
function scoredSpan({ spanId, responseId }: ScoreFact, { calls, answers }: ReadTrace): string | null {
  if (responseId === null || (spanId !== null && calls.has(spanId))) return spanId;
  return answers.get(responseId) ?? spanId;
}

function responseIdOf({ metadata }: RawEvent): unknown {
  const { attributes } = metadata as { readonly attributes?: RawEvent };
  return attributes?.["gen_ai.response.id"];
}

function conversationOf({ metadata }: RawEvent): string | null {
  const { conversation_id: id } = metadata as { readonly conversation_id?: unknown };
  return typeof id === "string" && id !== "" ? id : null;
}

function join(
  { userId }: CallFact | ToolFact | ScoreFact | AgentEndFact,
  spanId: string | null,
  trace: ReadTrace,
): readonly Place[] | Unjoined {
  if (trace.evaluations.length === 0) return "no-evaluation";
  const places: Place[] = [];
  let fault: Unjoined = "no-user";
  for (const [experimentId, { around, anywhere }] of trace.deciders) {
    const found = (spanId === null ? undefined : around(spanId)) ?? anywhere ?? null;
    const user = found === null ? null : (found.userId ?? userId ?? trace.userId);
    if (found !== null && user !== null) {
      const subjects = subjectsIn(found.experiment, user, trace);
      if (subjects === null) fault = "no-unit";
      else places.push({ experimentId, ...subjects, variant: found.variant });
    } else if (found === null || trace.hasSeveralUsers) fault = "several-users";
  }
  return places.length > 0 ? places : fault;
}

/** `evaluations`: of one experiment, earliest first. */
function decidersOf(evaluations: readonly KnownEvaluation[], parents: ReadonlyMap<string, string>): Deciders {
  const bySpan = Map.groupBy(evaluations, ({ spanId }) => spanId);
  return {
    around: nearest(parents, (spanId) => agreed(bySpan.get(spanId) ?? [])),
    anywhere: agreed(evaluations),
  };
}

/** The first evaluation; undefined if there is none, or if they concern several users. */
function agreed(evaluations: readonly KnownEvaluation[]): KnownEvaluation | undefined {
  return new Set(evaluations.map(({ userId }) => userId)).size === 1 ? evaluations[0] : undefined;
}
