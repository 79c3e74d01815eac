import {
  type CallFact,
  EVENT_FIELDS,
  type EvaluationFact,
  FACT_LETTER,
  factKey,
  type TraceFact,
  type TraceOrigin,
  type TraceOutcome,
  type TracePatience,
  UNJOINED,
  type Unjoined,
  type WaitingTraceStore,
} from "@assay/domain";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";

/** Databases limit the parameters of a statement. */
const ROWS_AT_A_TIME = 500;
const WAITING = "waiting";
/** Traces among which the newest call and evaluation are looked for. */
const NEWEST_TRACES = 100;

/** Binds the store of waiting traces to a database or a transaction. */
export const waitingTraceStore = (db: Kysely<Database>): WaitingTraceStore => ({
  add: (traces, at, patience) =>
    inTransaction(db, async (tx) => {
      // In a fixed order, so that two processes cannot deadlock.
      const sorted = [...traces].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      for (const part of chunks(sorted)) await addTraces(tx, part, at);
      const rows = sorted.flatMap(({ facts, ...trace }) => facts.map((fact) => toRow(trace, fact)));
      const grown = new Map<string, Pick<TraceOrigin, "orgId" | "traceId">>();
      for (const part of chunks([...new Map(rows.map((row) => [rowKey(row), row])).values()])) {
        const added = await tx
          .insertInto("traceFacts")
          .values([...part])
          .onConflict((conflict) => conflict.columns(["orgId", "traceId", "factKey"]).doNothing())
          .returning(["orgId", "traceId"])
          .execute();
        for (const trace of added) grown.set(keyOf(trace), trace);
      }
      for (const [orgId, own] of Map.groupBy(grown.values(), (trace) => trace.orgId))
        for (const part of chunks(own.map(({ traceId }) => traceId)))
          await makeDue(tx, { orgId, traceIds: part }, at, patience);
    }),

  async listDue(now, limit, maxFacts) {
    const traces = await db
      .selectFrom("waitingTraces")
      .select(["orgId", "traceId", "keyPrefix", "client", "revision"])
      .where("dueAt", "<=", now)
      .orderBy("dueAt")
      .limit(limit)
      .execute();
    const facts = new Map<string, TraceFact[]>(traces.map((trace) => [keyOf(trace), []]));
    for (const [orgId, own] of Map.groupBy(traces, (trace) => trace.orgId)) {
      const numbered = db
        .selectFrom("traceFacts")
        .select(["traceId", "body"])
        .select(sql<number>`row_number() over (partition by trace_id order by fact_key)`.as("number"))
        .where("orgId", "=", orgId)
        .where(
          "traceId",
          "in",
          own.map(({ traceId }) => traceId),
        );
      const rows = await db
        .selectFrom(numbered.as("numbered"))
        .select(["traceId", "body"])
        .where("number", "<=", maxFacts)
        .orderBy("traceId")
        .orderBy("number")
        .execute();
      for (const { traceId, body } of rows)
        facts.get(keyOf({ orgId, traceId }))?.push(JSON.parse(body) as TraceFact);
    }
    return traces.map((trace) => ({ ...trace, facts: facts.get(keyOf(trace)) ?? [] }));
  },

  settle: (settled) =>
    inTransaction(db, async (tx) => {
      for (const [orgId, own] of Map.groupBy(settled, ({ trace }) => trace.orgId)) {
        for (const [revision, same] of Map.groupBy(own, ({ trace }) => trace.revision)) {
          for (const part of chunks(same.map(({ trace }) => trace.traceId)))
            await tx
              .updateTable("waitingTraces")
              .set({ dueAt: null, waitingSince: null })
              .where("orgId", "=", orgId)
              .where("traceId", "in", [...part])
              .where("revision", "=", revision)
              .execute();
        }
        const facts = own.flatMap(({ trace: { traceId }, outcomes }) =>
          [...outcomes].map(([key, outcome]) => ({ outcome, place: sql`(${traceId}, ${key})` })),
        );
        for (const [outcome, same] of Map.groupBy(facts, (fact) => fact.outcome)) {
          for (const part of chunks(same.map(({ place }) => place)))
            await setFacts(tx, orgId, part, { outcome });
        }
        const wholes = own.flatMap(({ trace: { traceId }, wholes }) =>
          [...wholes].map(([key, whole]) => ({ whole, place: sql`(${traceId}, ${key})` })),
        );
        for (const same of Map.groupBy(
          wholes,
          ({ whole }) => `${whole.isStream} ${whole.hasUsage}`,
        ).values()) {
          const [{ whole }] = same as [(typeof wholes)[number]];
          const columns = { isStream: Number(whole.isStream), hasUsage: Number(whole.hasUsage) };
          for (const part of chunks(same.map(({ place }) => place))) await setFacts(tx, orgId, part, columns);
        }
      }
    }),

  expire: (before) =>
    inTransaction(db, async (tx) => {
      const old = tx
        .selectFrom("waitingTraces")
        .innerJoin("traceFacts", (join) =>
          join
            .onRef("traceFacts.orgId", "=", "waitingTraces.orgId")
            .onRef("traceFacts.traceId", "=", "waitingTraces.traceId"),
        )
        .where("waitingTraces.firstAt", "<", before)
        .where("waitingTraces.dueAt", "is", null)
        .where("traceFacts.outcome", "in", [...UNJOINED]);
      const lost = await old
        .select(({ fn }) => ["traceFacts.outcome", fn.countAll<number>().as("count")])
        .groupBy("traceFacts.outcome")
        .execute();
      // The facts of a trace go with it.
      await tx.deleteFrom("waitingTraces").where("firstAt", "<", before).where("dueAt", "is", null).execute();
      return new Map(lost.map(({ outcome, count }) => [outcome as Unjoined, Number(count)]));
    }),

  async countCalls(orgId) {
    const rows = await db
      .selectFrom("traceFacts")
      .select(({ fn }) => ["scope", "isStream", "hasUsage", "outcome", fn.countAll<number>().as("calls")])
      .where("orgId", "=", orgId)
      .where("scope", "is not", null)
      .groupBy(["scope", "isStream", "hasUsage", "outcome"])
      .orderBy("scope")
      .orderBy("isStream")
      .orderBy("hasUsage")
      .orderBy("outcome")
      .execute();
    return rows.map(({ scope, isStream, hasUsage, outcome, calls }) => ({
      scope: scope ?? "",
      isStream: isStream === 1,
      hasUsage: hasUsage === 1,
      outcome: outcome as TraceOutcome | typeof WAITING,
      calls: Number(calls),
    }));
  },

  async findNewest(orgId) {
    const recent = db
      .selectFrom("waitingTraces")
      .select(["traceId", "firstAt"])
      .where("orgId", "=", orgId)
      .orderBy("firstAt", "desc")
      .limit(NEWEST_TRACES);
    const facts = db
      .with("recent", () => recent)
      .selectFrom("recent")
      .innerJoin("traceFacts", "traceFacts.traceId", "recent.traceId")
      .select(["traceFacts.traceId", "outcome", "body"])
      .where("traceFacts.orgId", "=", orgId)
      .orderBy("recent.firstAt", "desc")
      .orderBy("factKey", "desc")
      .limit(1);
    const call = await facts
      .where("scope", "is not", null)
      .where("outcome", "!=", "outer-call")
      .executeTakeFirst();
    const { evaluation: onSpan, loggedEvaluation: logged } = FACT_LETTER;
    const evaluation = await facts
      .where(({ eb, or }) => or([eb("factKey", "like", `${onSpan}%`), eb("factKey", "like", `${logged}%`)]))
      .executeTakeFirst();
    return {
      call: call
        ? {
            traceId: call.traceId,
            fact: JSON.parse(call.body) as CallFact,
            outcome: call.outcome as Unjoined | "event" | typeof WAITING,
          }
        : null,
      evaluation: evaluation
        ? { traceId: evaluation.traceId, fact: JSON.parse(evaluation.body) as EvaluationFact }
        : null,
    };
  },

  async eraseUsers(erasures) {
    let removed = 0;
    for (const { orgId, userId, requestedAt } of erasures) {
      const { numDeletedRows } = await db
        .deleteFrom("waitingTraces")
        .where("orgId", "=", orgId)
        .where("firstAt", "<=", requestedAt)
        .where(({ eb, selectFrom }) =>
          eb(
            "traceId",
            "in",
            selectFrom("traceFacts")
              .select("traceFacts.traceId")
              .where("traceFacts.orgId", "=", orgId)
              .where("traceFacts.userId", "=", JSON.stringify(userId)),
          ),
        )
        .executeTakeFirst();
      removed += Number(numDeletedRows);
    }
    return removed;
  },
});

/** Sets columns of facts. `places` are pairs of a trace and a key. */
async function setFacts(
  tx: Kysely<Database>,
  orgId: string,
  places: readonly RawBuilder<unknown>[],
  columns: Partial<Pick<Database["traceFacts"], "outcome" | "isStream" | "hasUsage">>,
): Promise<void> {
  await tx
    .updateTable("traceFacts")
    .set(columns)
    .where("orgId", "=", orgId)
    .where(sql<boolean>`(trace_id, fact_key) in (values ${sql.join(places)})`)
    .execute();
}

function* chunks<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += ROWS_AT_A_TIME) yield items.slice(at, at + ROWS_AT_A_TIME);
}

const keyOf = ({ orgId, traceId }: Pick<TraceOrigin, "orgId" | "traceId">): string => `${orgId} ${traceId}`;
const rowKey = (row: ReturnType<typeof toRow>): string => `${keyOf(row)} ${row.factKey}`;

async function addTraces(tx: Kysely<Database>, traces: readonly TraceOrigin[], at: number): Promise<void> {
  await tx
    .insertInto("waitingTraces")
    .values(
      traces.map(({ orgId, traceId, keyPrefix, client }) => ({
        ...{ orgId, traceId, keyPrefix, client },
        ...{ firstAt: at, waitingSince: null, dueAt: null, revision: 0 },
      })),
    )
    .onConflict((conflict) => conflict.columns(["orgId", "traceId"]).doNothing())
    .execute();
}

/** Waits for more of the traces, but no longer than `maxMs` for the first of what is new. */
async function makeDue(
  tx: Kysely<Database>,
  { orgId, traceIds }: { readonly orgId: string; readonly traceIds: readonly string[] },
  at: number,
  { quietMs, maxMs }: TracePatience,
): Promise<void> {
  const since = sql<number>`coalesce(waiting_since, ${at})`;
  await tx
    .updateTable("waitingTraces")
    .set({
      waitingSince: since,
      dueAt: sql<number>`case when ${since} + ${maxMs} < ${at + quietMs} then ${since} + ${maxMs} else ${at + quietMs} end`,
      revision: sql<number>`revision + 1`,
    })
    .where("orgId", "=", orgId)
    .where("traceId", "in", [...traceIds])
    .execute();
}

/**
 * Ids of users are kept as JSON, because they may contain NUL, which PostgreSQL's text cannot hold. An id that is too long for an event
 * is not indexed: nothing comes of it, and no index could hold it.
 */
function toRow({ orgId, traceId }: TraceOrigin, fact: TraceFact) {
  const named = "userId" in fact ? fact.userId : null;
  const userId = named === null || named.length > 2 * EVENT_FIELDS.userId.max ? null : JSON.stringify(named);
  const isCall = fact.kind === "call" || fact.kind === "begun";
  return {
    ...{ orgId, traceId, factKey: factKey(fact), userId },
    scope: isCall ? fact.scope : null,
    isStream: Number(fact.kind === "call" && fact.isStream),
    // What has only begun does not lack usage yet.
    hasUsage: Number(fact.kind === "begun" || (fact.kind === "call" && fact.hasUsage)),
    outcome: isCall || fact.kind === "score" ? WAITING : null,
    body: JSON.stringify(fact),
  };
}
