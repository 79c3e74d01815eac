import type { Json } from "../json.ts";
import { type CallFact, factKey, factsOfSpan, type PieceFact, type TraceFact } from "./facts.ts";
import type { Span } from "./span.ts";

/** The facts of a trace, with its pieces joined into spans. */
export interface Assembled {
  readonly facts: readonly TraceFact[];
  /** Keys of the calls of which no end is known yet. */
  readonly unfinished: readonly string[];
}

/** Attributes that show that a call without an end is over: an answer or its usage. */
const ENDS = ["langfuse.observation.output", "langfuse.observation.usage_details"];

/** Joins the pieces of each span, in whatever order they arrived, and reads the spans. */
export function assemble(traceId: string, facts: readonly TraceFact[]): Assembled {
  if (!facts.some(({ kind }) => kind === "piece" || kind === "begun")) return { facts, unfinished: [] };
  const read: TraceFact[] = [];
  const unfinished: string[] = [];
  const pieces = new Map(facts.filter((fact) => fact.kind === "piece").map((one) => [factKey(one), one]));
  for (const own of Map.groupBy(pieces.values(), ({ spanId }) => spanId).values()) {
    const span = spanOf(traceId, own);
    const isOver =
      own.some(({ endedAt }) => endedAt !== null) ||
      ENDS.some((name) => span.attributes.has(name)) ||
      span.attributes.get("langfuse.observation.level") === "ERROR";
    for (const fact of factsOfSpan(span)) {
      if (fact.kind === "call" && !isOver) unfinished.push(factKey(fact));
      else read.push(fact.kind === "evaluation" ? { ...fact, isOfTrace: true } : fact);
    }
  }
  const others = facts.filter(({ kind }) => kind !== "piece" && kind !== "begun");
  return { facts: [...others, ...read], unfinished };
}

/** Later pieces take precedence, and updates come after creations, whenever they were sent. */
function spanOf(traceId: string, pieces: readonly PieceFact[]): Span {
  const order = (piece: PieceFact) => [Number(piece.isUpdate), piece.at] as const;
  const sorted = pieces.toSorted((one, other) => {
    const [[kind, at], [otherKind, otherAt]] = [order(one), order(other)];
    return kind - otherKind || at - otherAt || (factKey(one) < factKey(other) ? -1 : 1);
  });
  const [first] = sorted as [PieceFact];
  const last = <K extends "startedAt" | "endedAt" | "parentId">(name: K): PieceFact[K] =>
    sorted.findLast((piece) => piece[name] !== null)?.[name] ?? null;
  const [startedAt, endedAt] = [last("startedAt"), last("endedAt")];
  const attributes = new Map<string, Json>(sorted.flatMap((piece) => Object.entries(piece.attributes)));
  // Without a start, the time to the first token is unknown.
  if (startedAt === null) attributes.delete("langfuse.observation.completion_start_time");
  return {
    ...{ traceId, spanId: first.spanId, parentId: last("parentId"), scope: first.scope, attributes },
    startedAt: startedAt ?? endedAt ?? first.at,
    endedAt: startedAt === null ? null : endedAt,
    ...{ isFailed: false, events: [] },
  };
}

/** Properties of a call that are known only once all its pieces are joined. */
export type WholeCall = Pick<CallFact, "isStream" | "hasUsage">;
