import { setImmediate as nextTurn } from "node:timers/promises";
import {
  factKey,
  type ScopeCalls,
  type SettledDue,
  type TraceFact,
  type TraceOutcome,
  UNJOINED,
  type Unjoined,
  type WaitingTraceStore,
} from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import { insertRows, type RowTarget } from "../query/insert-rows.ts";
import { isOneOf } from "../query/is-one-of.ts";
import type { Database } from "../schema/schema.ts";
import { findNewest } from "./newest-facts.ts";
import { adder, fileBatches } from "./trace-batches.ts";
import { type CallKind, keyOf, kindOf, readPieces, within } from "./trace-pieces.ts";

/** Binds the store of waiting traces to a database or a transaction. */
export const waitingTraceStore = (db: Kysely<Database>): WaitingTraceStore => ({
  add: adder(db),

  async listDue(now, limit, maxSize) {
    await fileBatches(db, null);
    const found = await db
      .selectFrom("waitingTraces")
      .select(["orgId", "traceId", "keyPrefix", "client", "revision", "size"])
      .where("dueAt", "<=", now)
      .orderBy("dueAt")
      .limit(limit)
      .execute();
    const traces = within(found, maxSize);
    const facts = new Map<string, TraceFact[]>(traces.map((trace) => [keyOf(trace), []]));
    for (const [orgId, own] of Map.groupBy(traces, (trace) => trace.orgId)) {
      const rows = await readPieces(db, { orgId, traces: own }, maxSize);
      for (const { traceId, body } of rows)
        facts.get(keyOf({ orgId, traceId }))?.push(...(JSON.parse(body) as TraceFact[]));
    }
    return traces.map(({ size, ...trace }) => ({
      ...trace,
      facts: facts.get(keyOf(trace)) ?? [],
      isWhole: Number(size) <= maxSize,
    }));
  },

  settle: (settled) =>
    inTransaction(db, async (tx) => {
      // A piece that arrived meanwhile keeps its trace due.
      await fileBatches(tx, null);
      const isKept = new Set<string>();
      for (const [orgId, own] of Map.groupBy(settled, ({ trace }) => trace.orgId)) {
        for (const [revision, same] of Map.groupBy(own, ({ trace }) => trace.revision)) {
          const traceIds = same.map(({ trace }) => trace.traceId);
          const kept = await tx
            .updateTable("waitingTraces")
            .set({ dueAt: null, waitingSince: null, waitingCalls: null })
            .where("orgId", "=", orgId)
            .where(isOneOf(tx, "trace_id", traceIds))
            .where("revision", "=", revision)
            .returning("traceId")
            .execute();
          for (const { traceId } of kept) isKept.add(keyOf({ orgId, traceId }));
          if (kept.length > 0 && revision > 1)
            await tx
              .deleteFrom("traceOutcomes")
              .where("orgId", "=", orgId)
              .where(
                isOneOf(
                  tx,
                  "trace_id",
                  kept.map(({ traceId }) => traceId),
                ),
              )
              .execute();
          await nextTurn();
        }
      }
      const counts = settled.filter(({ trace }) => isKept.has(keyOf(trace))).flatMap(outcomesOf);
      await insertRows(tx, OUTCOMES, counts);
    }),

  expire: (before) =>
    inTransaction(db, async (tx) => {
      const lost = await tx
        .selectFrom("waitingTraces")
        .innerJoin("traceOutcomes", (join) =>
          join
            .onRef("traceOutcomes.orgId", "=", "waitingTraces.orgId")
            .onRef("traceOutcomes.traceId", "=", "waitingTraces.traceId"),
        )
        .select(({ fn }) => ["traceOutcomes.outcome", fn.sum<number>("traceOutcomes.count").as("count")])
        .where("waitingTraces.firstAt", "<", before)
        .where("waitingTraces.dueAt", "is", null)
        .where("traceOutcomes.outcome", "in", [...UNJOINED])
        .groupBy("traceOutcomes.outcome")
        .execute();
      // Pieces and outcomes are deleted with their trace.
      await tx.deleteFrom("waitingTraces").where("firstAt", "<", before).where("dueAt", "is", null).execute();
      return new Map(lost.map(({ outcome, count }) => [outcome as Unjoined, Number(count)]));
    }),

  async countCalls(orgId) {
    await fileBatches(db, orgId);
    const settled = await db
      .selectFrom("traceOutcomes")
      .select(({ fn }) => ["scope", "isStream", "hasUsage", "outcome", fn.sum<number>("count").as("calls")])
      .where("orgId", "=", orgId)
      .where("kind", "=", "call")
      .groupBy(["scope", "isStream", "hasUsage", "outcome"])
      .execute();
    const waiting = await db
      .selectFrom("waitingTraces")
      .select(({ fn }) => ["waitingCalls", fn.countAll<number>().as("traces")])
      .where("dueAt", "is not", null)
      // Avoids the org's index, which contains the traces of a whole day.
      .where(sql<string>`coalesce(org_id, '')`, "=", orgId)
      .where("waitingCalls", "is not", null)
      .groupBy("waitingCalls")
      .execute();
    return [
      ...settled.map((row) => ({
        scope: row.scope,
        isStream: row.isStream === 1,
        hasUsage: row.hasUsage === 1,
        outcome: row.outcome as TraceOutcome,
        calls: Number(row.calls),
      })),
      ...waitingCalls(waiting),
    ].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  },

  async findNewest(orgId) {
    await fileBatches(db, orgId);
    return findNewest(db, orgId);
  },

  async eraseUsers(erasures) {
    let removed = 0;
    for (const { orgId, userId, requestedAt } of erasures) {
      await fileBatches(db, orgId);
      const { numDeletedRows } = await db
        .deleteFrom("waitingTraces")
        .where("orgId", "=", orgId)
        .where("firstAt", "<=", requestedAt)
        .where(({ eb, selectFrom }) =>
          eb(
            "traceId",
            "in",
            selectFrom("tracePieces")
              .select("tracePieces.traceId")
              .where("tracePieces.orgId", "=", orgId)
              .where("tracePieces.userId", "=", JSON.stringify(userId)),
          ),
        )
        .executeTakeFirst();
      removed += Number(numDeletedRows);
    }
    return removed;
  },
});

/** What facts are counted as. Facts of instrumentations are model calls; tool calls are counted with the scores. */
const KINDS: { readonly [kind in TraceFact["kind"]]?: "call" | "score" } = {
  ...{ call: "call", begun: "call", score: "score", tool: "score" },
};

const OUTCOMES: RowTarget = {
  table: "trace_outcomes",
  columns: ["org_id", "trace_id", "kind", "scope", "is_stream", "has_usage", "outcome", "count"],
  end: "on conflict do nothing",
};

function outcomesOf({
  trace: { orgId, traceId, facts },
  outcomes,
  wholes,
}: SettledDue): readonly (readonly unknown[])[] {
  const counts = new Map<string, { readonly values: readonly unknown[]; count: number }>();
  const isCounted = new Set<string>();
  for (const fact of facts) {
    if (!(fact.kind in KINDS)) continue;
    const key = factKey(fact);
    const outcome = outcomes.get(key);
    if (outcome === undefined || isCounted.has(key)) continue;
    isCounted.add(key);
    const [scope, isStream, hasUsage] = kindOf(fact, wholes.get(key)) ?? ["", false, false];
    const values = [KINDS[fact.kind], scope, Number(isStream), Number(hasUsage), outcome];
    const place = JSON.stringify(values);
    const known = counts.get(place);
    if (known === undefined) counts.set(place, { values, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].map(({ values, count }) => [orgId, traceId, ...values, count]);
}

interface WaitingRow {
  readonly waitingCalls: string | null;
  readonly traces: number;
}

/** Counts waiting calls. A call that arrived several times with different facts counts several times until its trace is settled. */
function waitingCalls(rows: readonly WaitingRow[]): readonly ScopeCalls[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const kind of JSON.parse(`[${row.waitingCalls}null]`) as (CallKind | null)[]) {
      const key = JSON.stringify(kind);
      if (kind !== null) counts.set(key, Number(row.traces) + (counts.get(key) ?? 0));
    }
  }
  return [...counts].map(([key, calls]) => {
    const [scope, isStream, hasUsage] = JSON.parse(key) as CallKind;
    return { scope, isStream, hasUsage, outcome: "waiting", calls };
  });
}

const orderOf = ({ scope, isStream, hasUsage, outcome }: ScopeCalls): string =>
  JSON.stringify([scope, isStream, hasUsage, outcome]);
