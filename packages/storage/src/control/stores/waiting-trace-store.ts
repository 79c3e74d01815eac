import { setImmediate as nextTurn } from "node:timers/promises";
import {
  factKey,
  type ScopeCalls,
  type SettledDue,
  type TraceFact,
  type TraceOrigin,
  type TraceOutcome,
  type TracePatience,
  UNJOINED,
  type Unjoined,
  type WaitingTraceStore,
  type WholeCall,
} from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { gather } from "../query/gather.ts";
import { inTransaction } from "../query/in-transaction.ts";
import type { Database } from "../schema/schema.ts";
import { findNewest } from "./newest-facts.ts";
import { piecesOf, readPieces, type TracePiece, within } from "./trace-pieces.ts";

/** Databases limit the parameters of a statement. */
const ROWS_AT_A_TIME = 250;
const MAX_BYTES = 1024 * 1024;
/** Nobody else waits longer for their turn, unless a single statement takes longer. */
const TURN_MS = 4;

/** Binds the store of waiting traces to a database or a transaction. */
export const waitingTraceStore = (db: Kysely<Database>): WaitingTraceStore => ({
  add: db.isTransaction ? adder(db, (write) => write) : adder(db, gather),

  async listDue(now, limit, maxSize) {
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
      const traceIds = own.map(({ traceId }) => traceId);
      const rows = await readPieces(db, { orgId, traceIds }, maxSize);
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
      const isKept = new Set<string>();
      for (const [orgId, own] of Map.groupBy(settled, ({ trace }) => trace.orgId)) {
        for (const [revision, same] of Map.groupBy(own, ({ trace }) => trace.revision)) {
          for await (const part of chunks(same.map(({ trace }) => trace.traceId))) {
            const kept = await tx
              .updateTable("waitingTraces")
              .set({ dueAt: null, waitingSince: null, waitingCalls: null })
              .where("orgId", "=", orgId)
              .where("traceId", "in", [...part])
              .where("revision", "=", revision)
              .returning("traceId")
              .execute();
            const traceIds = kept.map(({ traceId }) => traceId);
            for (const traceId of traceIds) isKept.add(keyOf({ orgId, traceId }));
            if (traceIds.length > 0 && revision > 1)
              await tx
                .deleteFrom("traceOutcomes")
                .where("orgId", "=", orgId)
                .where("traceId", "in", traceIds)
                .execute();
          }
        }
      }
      const counts = settled.filter(({ trace }) => isKept.has(keyOf(trace))).flatMap(outcomesOf);
      for await (const part of chunks(counts))
        await tx
          .insertInto("traceOutcomes")
          .values([...part])
          .onConflict((conflict) => conflict.doNothing())
          .execute();
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
      // Pieces and outcomes go with their trace.
      await tx.deleteFrom("waitingTraces").where("firstAt", "<", before).where("dueAt", "is", null).execute();
      return new Map(lost.map(({ outcome, count }) => [outcome as Unjoined, Number(count)]));
    }),

  async countCalls(orgId) {
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
      // Not by the index of the org, which has the traces of a whole day.
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

  findNewest: (orgId) => findNewest(db, orgId),

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

interface Arrival {
  readonly trace: TraceOrigin & { readonly facts: readonly TraceFact[] };
  readonly at: number;
  readonly patience: TracePatience;
}

type Write = (arrivals: readonly Arrival[]) => Promise<void>;

/** Makes the function that adds traces. What shares a transaction came within one turn, and waits from the first of it on. */
function adder(db: Kysely<Database>, share: (write: Write) => Write): WaitingTraceStore["add"] {
  const write = share(async (arrivals) => {
    const [first] = arrivals;
    if (first === undefined) return;
    // In a fixed order, so that two processes cannot deadlock.
    const sorted = arrivals
      .map(({ trace }) => trace)
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const pieces = new Map<string, TracePiece>();
    for await (const piece of inTurns(allPieces(sorted))) pieces.set(pieceKeyOf(piece), piece);
    await inTransaction(db, (tx) => addAll(tx, byKey(sorted, keyOf), pieces, first));
  });
  return (traces, at, patience) => write(traces.map((trace) => ({ trace, at, patience })));
}

async function addAll(
  tx: Kysely<Database>,
  traces: ReadonlyMap<string, TraceOrigin>,
  pieces: ReadonlyMap<string, TracePiece>,
  wait: Wait,
): Promise<void> {
  const gains = gainsOf(pieces.values());
  const isNew = new Set<string>();
  for await (const part of chunks(traces.values()))
    for (const trace of await addTraces(tx, part, { ...wait, gains })) isNew.add(keyOf(trace));
  const grown: TracePiece[] = [];
  for await (const part of chunks(pieces.values(), ({ size }) => size))
    for (const added of await addPieces(tx, part)) {
      const piece = pieces.get(pieceKeyOf(added));
      if (piece !== undefined && !isNew.has(keyOf(piece))) grown.push(piece);
    }
  for (const [orgId, own] of Map.groupBy(gainsOf(grown).values(), (gain) => gain.orgId))
    for await (const part of chunks(own)) await grow(tx, orgId, part, wait);
}

function* allPieces(traces: readonly Arrival["trace"][]): Iterable<TracePiece> {
  for (const { facts, ...trace } of traces) yield* piecesOf(trace, facts);
}

/** Other requests have their turns between items. */
async function* inTurns<T>(items: Iterable<T>): AsyncIterable<T> {
  let startedAt = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - startedAt < TURN_MS) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}

/** The rows of one statement after another: as many as it may have parameters, or texts of a megabyte or two. Turns are taken in between. */
async function* chunks<T>(items: Iterable<T>, sizeOf = (_: T) => 0): AsyncIterable<readonly T[]> {
  let [part, size] = [[] as T[], 0];
  for (const item of items) {
    part.push(item);
    size += sizeOf(item);
    if (part.length < ROWS_AT_A_TIME && size < MAX_BYTES) continue;
    yield part;
    await nextTurn();
    [part, size] = [[], 0];
  }
  if (part.length > 0) yield part;
}

type TraceKey = Pick<TraceOrigin, "orgId" | "traceId">;
const keyOf = ({ orgId, traceId }: TraceKey): string => `${orgId} ${traceId}`;
const pieceKeyOf = (piece: TraceKey & Pick<TracePiece, "pieceKey">): string =>
  `${keyOf(piece)} ${piece.pieceKey}`;
const byKey = <T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, T> =>
  new Map(items.map((item) => [key(item), item]));

/** What is new of a trace. */
interface Gain extends TraceKey {
  readonly size: number;
  /** The kinds of its calls, each as JSON with a comma behind it; null without any. */
  readonly calls: string | null;
}

/** As what a call is counted. */
type CallKind = readonly [scope: string, isStream: boolean, hasUsage: boolean];

/** By trace. */
function gainsOf(pieces: Iterable<TracePiece>): ReadonlyMap<string, Gain> {
  const gains = new Map<string, Gain>();
  for (const { orgId, traceId, size, facts } of pieces) {
    const key = keyOf({ orgId, traceId });
    const known = gains.get(key);
    const calls = `${known?.calls ?? ""}${callsIn(facts)}`;
    gains.set(key, { orgId, traceId, size: size + (known?.size ?? 0), calls: calls === "" ? null : calls });
  }
  return gains;
}

/** What came in pieces is one call, and lacks nothing while it is not over. */
function callsIn(facts: readonly TraceFact[]): string {
  const kinds = facts.flatMap((fact): readonly (readonly [key: string, kind: CallKind])[] => {
    const kind = kindOf(fact, undefined);
    return kind === null ? [] : [[factKey(fact), kind]];
  });
  return [...new Map(kinds).values()].map((kind) => `${JSON.stringify(kind)},`).join("");
}

/** As what a fact is counted; null for what is no call. */
function kindOf(fact: TraceFact, whole: WholeCall | undefined): CallKind | null {
  if (fact.kind === "call") return [fact.scope, fact.isStream, fact.hasUsage];
  return fact.kind === "begun" ? [fact.scope, whole?.isStream ?? false, whole?.hasUsage ?? true] : null;
}

interface Wait {
  readonly at: number;
  readonly patience: TracePatience;
}

/** Adds the traces that are not known, which is most of them, as they are once their pieces are added. Returns them. */
async function addTraces(
  tx: Kysely<Database>,
  traces: readonly TraceOrigin[],
  { at, patience: { quietMs, maxMs }, gains }: Wait & { readonly gains: ReadonlyMap<string, Gain> },
): Promise<readonly TraceKey[]> {
  const dueAt = at + Math.min(quietMs, maxMs);
  return tx
    .insertInto("waitingTraces")
    .values(
      traces.map(({ orgId, traceId, keyPrefix, client }) => {
        const { size = 0, calls = null } = gains.get(keyOf({ orgId, traceId })) ?? {};
        return {
          ...{ orgId, traceId, keyPrefix, client, size, waitingCalls: calls },
          ...{ firstAt: at, waitingSince: at, dueAt, revision: 1 },
        };
      }),
    )
    .onConflict((conflict) => conflict.columns(["orgId", "traceId"]).doNothing())
    .returning(["orgId", "traceId"])
    .execute();
}

/** Adds the pieces that are not known, and returns their keys. */
async function addPieces(tx: Kysely<Database>, pieces: readonly TracePiece[]) {
  return tx
    .insertInto("tracePieces")
    .values(pieces.map(({ facts: _, ...row }) => row))
    .onConflict((conflict) => conflict.columns(["orgId", "traceId", "pieceKey"]).doNothing())
    .returning(["orgId", "traceId", "pieceKey"])
    .execute();
}

/** Waits for more of traces that were known, but no longer than `maxMs` for the first of what is new. */
async function grow(
  tx: Kysely<Database>,
  orgId: string,
  gains: readonly Gain[],
  { at, patience: { quietMs, maxMs } }: Wait,
): Promise<void> {
  const since = sql<number>`coalesce(waiting_since, ${at})`;
  const rows = gains.map(
    ({ traceId, size, calls }) =>
      sql`(cast(${traceId} as text), cast(${size} as bigint), cast(${calls ?? ""} as text))`,
  );
  await sql`update waiting_traces
    set waiting_since = ${since},
      due_at = case when ${since} + ${maxMs} < ${at + quietMs} then ${since} + ${maxMs} else ${at + quietMs} end,
      revision = revision + 1, size = size + added.column2,
      waiting_calls = nullif(coalesce(waiting_calls, '') || added.column3, '')
    from (values ${sql.join(rows)}) as added
    where org_id = ${orgId} and trace_id = added.column1`.execute(tx);
}

type OutcomeRow = Database["traceOutcomes"];

function outcomesOf({
  trace: { orgId, traceId, facts },
  outcomes,
  wholes,
}: SettledDue): readonly OutcomeRow[] {
  const rows = new Map<string, OutcomeRow>();
  const isCounted = new Set<string>();
  for (const fact of facts) {
    const key = factKey(fact);
    const outcome = outcomes.get(key);
    if (outcome === undefined || isCounted.has(key)) continue;
    isCounted.add(key);
    const [scope, isStream, hasUsage] = kindOf(fact, wholes.get(key)) ?? ["", false, false];
    // Those of instrumentations are calls of models; calls of tools count with the scores.
    const isOther = fact.kind === "score" || fact.kind === "tool";
    const kind = {
      kind: isOther ? ("score" as const) : ("call" as const),
      ...{ scope, isStream: Number(isStream), hasUsage: Number(hasUsage) },
    };
    const place = JSON.stringify([kind, outcome]);
    rows.set(place, { orgId, traceId, ...kind, outcome, count: 1 + (rows.get(place)?.count ?? 0) });
  }
  return [...rows.values()];
}

interface WaitingRow {
  readonly waitingCalls: string | null;
  readonly traces: number;
}

/** A call that came several times, in different company, counts several times until its trace is settled. */
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
