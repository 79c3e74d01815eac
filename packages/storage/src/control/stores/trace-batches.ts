import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TraceFact, TraceOrigin, TracePatience, WaitingTraceStore } from "@assay/domain";
import type { Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { gather } from "../query/gather.ts";
import { inTransaction } from "../query/in-transaction.ts";
import { insertRows, type RowTarget } from "../query/insert-rows.ts";
import type { Database } from "../schema/schema.ts";
import { type Arrival, chunks, filePieces } from "./file-pieces.ts";
import { piecesOf, type TracePiece } from "./trace-pieces.ts";

/** A batch is closed at this size. */
const MAX_BYTES = 1024 * 1024;
/** Other requests wait no longer than this for a turn, unless a single trace or statement takes longer. */
const TURN_MS = 4;
/** Number of batches that are filed in one transaction. */
const BATCHES_AT_A_TIME = 16;

const BATCHES: RowTarget = {
  table: "trace_batches",
  columns: ["received_at", "batch_id", "org_id", "key_prefix", "client", "quiet_ms", "max_ms", "body"],
  end: "",
};

type ArrivedTrace = TraceOrigin & { readonly facts: readonly TraceFact[] };
type BatchRow = Database["traceBatches"];

/**
 * Returns the function that writes incoming trace data to disk. Filing it by trace takes ten times as long, so `fileBatches` does
 * that later, before the data is read. Simultaneous requests share a commit.
 */
export function adder(db: Kysely<Database>): WaitingTraceStore["add"] {
  const write = (rows: readonly BatchRow[]) =>
    inTransaction(db, async (tx) => {
      for await (const part of chunks(rows, ({ body }) => body.length))
        await insertRows(
          tx,
          BATCHES,
          part.map((row) => [
            ...[row.receivedAt, row.batchId, row.orgId, row.keyPrefix, row.client, row.quietMs, row.maxMs],
            row.body,
          ]),
        );
    });
  const share = db.isTransaction ? write : gather(write);
  return async (traces, at, patience) => {
    const rows: BatchRow[] = [];
    for await (const row of batchesOf(traces, at, patience)) rows.push(row);
    await share(rows);
  };
}

/** Splits data into batches of one sender each. Yields to other requests in between. */
async function* batchesOf(
  traces: readonly ArrivedTrace[],
  receivedAt: number,
  { quietMs, maxMs }: TracePatience,
): AsyncIterable<BatchRow> {
  const senders = Map.groupBy(traces, (one) => JSON.stringify([one.orgId, one.keyPrefix, one.client]));
  for (const own of senders.values()) {
    const [{ orgId, keyPrefix, client }] = own as [ArrivedTrace];
    const close = (lines: readonly string[]): BatchRow => ({
      ...{ receivedAt, batchId: randomUUID(), orgId, keyPrefix, client, quietMs, maxMs },
      body: lines.join("\n"),
    });
    let [lines, size, startedAt] = [[] as string[], 0, performance.now()];
    for (const { traceId, facts } of own) {
      for (const { userId, size: added, calls, body } of piecesOf(facts)) {
        lines.push(JSON.stringify([traceId, userId, added, calls] satisfies Head), body);
        size += added;
        if (size >= MAX_BYTES) {
          yield close(lines);
          [lines, size] = [[], 0];
        }
      }
      if (performance.now() - startedAt < TURN_MS) continue;
      await nextTurn();
      startedAt = performance.now();
    }
    if (lines.length > 0) yield close(lines);
  }
}

/** The header before each piece of a batch. */
type Head = readonly [traceId: string, userId: string | null, size: number, calls: string];

function* arrivalsOf(rows: readonly BatchRow[]): Iterable<Arrival> {
  for (const { orgId, keyPrefix, client, body, ...row } of rows) {
    const [at, quietMs, maxMs] = [Number(row.receivedAt), Number(row.quietMs), Number(row.maxMs)];
    const lines = body.split("\n");
    for (let index = 0; index + 1 < lines.length; index += 2) {
      const [traceId, userId, size, calls] = JSON.parse(lines[index]!) as Head;
      const piece: TracePiece = { userId, size, calls, body: lines[index + 1]! };
      yield { trace: { orgId, traceId, keyPrefix, client }, piece, at, patience: { quietMs, maxMs } };
    }
  }
}

/**
 * Files the trace data that has arrived so far, of one org or of all orgs, in order of arrival. It waits for other processes that are
 * filing. It leaves data that arrives meanwhile, so that it ends under any load.
 */
export async function fileBatches(db: Kysely<Database>, orgId: string | null): Promise<void> {
  const { newest } = await batchesIn(db, orgId)
    .select(({ fn }) => fn.max<number | string | null>("receivedAt").as("newest"))
    .executeTakeFirstOrThrow();
  // Usually there are no batches, and SQLite allows one writer at a time.
  let filed = newest === null ? 0 : BATCHES_AT_A_TIME;
  while (filed === BATCHES_AT_A_TIME)
    filed = await inTransaction(db, (tx) => fileSome(tx, orgId, Number(newest)));
}

async function fileSome(tx: Kysely<Database>, orgId: string | null, newest: number): Promise<number> {
  const query = batchesIn(tx, orgId)
    .selectAll()
    .where("receivedAt", "<=", newest)
    .orderBy("receivedAt")
    .orderBy("batchId")
    .limit(BATCHES_AT_A_TIME);
  const rows = await dialectOf(tx).lockRows(query).execute();
  await filePieces(tx, arrivalsOf(rows));
  for (const { receivedAt, batchId } of rows)
    await tx
      .deleteFrom("traceBatches")
      .where("receivedAt", "=", receivedAt)
      .where("batchId", "=", batchId)
      .execute();
  return rows.length;
}

function batchesIn(db: Kysely<Database>, orgId: string | null) {
  const all = db.selectFrom("traceBatches");
  return orgId === null ? all : all.where("orgId", "=", orgId);
}
