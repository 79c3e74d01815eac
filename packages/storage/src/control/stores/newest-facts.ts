import {
  assemble,
  type CallFact,
  type EvaluationFact,
  factKey,
  type NewestFacts,
  type TraceFact,
  type Unjoined,
} from "@assay/domain";
import type { Kysely } from "kysely";
import type { Database } from "../schema/schema.ts";
import { readPieces, within } from "./trace-pieces.ts";

/** The newest call and evaluation are searched among this many traces. */
const NEWEST_TRACES = 50;
const NEWEST_BYTES = 1024 * 1024;

/** Finds a call and an evaluation among the newest traces of an org. */
export async function findNewest(db: Kysely<Database>, orgId: string): Promise<NewestFacts> {
  const traces = await db
    .selectFrom("waitingTraces")
    .select(["traceId", "dueAt", "size"])
    .where("orgId", "=", orgId)
    .orderBy("firstAt", "desc")
    .limit(NEWEST_TRACES)
    .execute();
  const read = within(traces, NEWEST_BYTES);
  const traceIds = read.map(({ traceId }) => traceId);
  if (traceIds.length === 0) return { call: null, evaluation: null };
  const pieces = await readPieces(db, { orgId, traces: read }, NEWEST_BYTES);
  const outcomes = await db
    .selectFrom("traceOutcomes")
    .select(["traceId", "scope", "outcome"])
    .where("orgId", "=", orgId)
    .where("traceId", "in", traceIds)
    .where("kind", "=", "call")
    .where("outcome", "!=", "outer-call")
    .execute();
  const known = read.map(({ traceId, dueAt }) => {
    const own = pieces.filter((piece) => piece.traceId === traceId);
    const facts = own.flatMap(({ body }) => JSON.parse(body) as TraceFact[]);
    const settled = outcomes.filter((outcome) => outcome.traceId === traceId);
    return {
      traceId,
      facts: sortedFacts(assemble(traceId, facts).facts),
      settled,
      isWaiting: dueAt !== null,
    };
  });
  return { call: first(known.map(callOf)), evaluation: first(known.map(evaluationOf)) };
}

interface KnownTrace {
  readonly traceId: string;
  readonly facts: readonly TraceFact[];
  readonly isWaiting: boolean;
  /** The outcomes of its calls, by instrumentation. */
  readonly settled: readonly { readonly scope: string; readonly outcome: string }[];
}

const first = <T>(found: readonly (T | null)[]): T | null => found.find((one) => one !== null) ?? null;

function sortedFacts(facts: readonly TraceFact[]): readonly TraceFact[] {
  const keyed = new Map(facts.map((fact) => [factKey(fact), fact]));
  return [...keyed].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, fact]) => fact);
}

function callOf({ traceId, facts, isWaiting, settled }: KnownTrace) {
  for (const fact of facts.filter((one): one is CallFact => one.kind === "call")) {
    const outcome = isWaiting ? "waiting" : settled.find(({ scope }) => scope === fact.scope)?.outcome;
    if (outcome !== undefined) return { traceId, fact, outcome: outcome as Unjoined | "event" | "waiting" };
  }
  return null;
}

function evaluationOf({ traceId, facts }: KnownTrace) {
  const fact = facts.find((one): one is EvaluationFact => one.kind === "evaluation");
  return fact === undefined ? null : { traceId, fact };
}
