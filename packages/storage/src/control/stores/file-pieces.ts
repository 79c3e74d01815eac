import { setImmediate as nextTurn } from "node:timers/promises";
import type { TraceOrigin, TracePatience } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { insertRows, type RowTarget } from "../query/insert-rows.ts";
import type { Database } from "../schema/schema.ts";
import { keyOf, pieceKeyOf, type TracePiece } from "./trace-pieces.ts";

/** After this many rows, other requests get a turn. Their texts are a megabyte or two. */
const ROWS_AT_A_TIME = 250;
const MAX_BYTES = 1024 * 1024;
/** Other requests wait no longer than this for a turn, unless a single statement takes longer. */
const TURN_MS = 4;

/** A piece of a trace and its time of arrival. */
export interface Arrival {
  readonly trace: TraceOrigin;
  readonly piece: TracePiece;
  readonly at: number;
  readonly patience: TracePatience;
}

interface KnownPiece extends TracePiece {
  /** When it first arrived. */
  readonly at: number;
}

/** The filed part of a trace. */
interface Arrived extends Pick<Arrival, "trace" | "patience"> {
  /** By key. */
  readonly pieces: Map<string, KnownPiece>;
}

/** Files pieces in order of arrival, together with their traces. A trace that gets a new piece becomes due again. */
export async function filePieces(tx: Kysely<Database>, arrivals: Iterable<Arrival>): Promise<void> {
  const byTrace = new Map<string, Arrived>();
  let startedAt = performance.now();
  for (const { trace, piece, at, patience } of arrivals) {
    const key = keyOf(trace);
    const arrived = byTrace.get(key) ?? { trace, patience, pieces: new Map() };
    byTrace.set(key, arrived);
    const pieceKey = pieceKeyOf(piece);
    if (!arrived.pieces.has(pieceKey)) arrived.pieces.set(pieceKey, { ...piece, at });
    if (performance.now() - startedAt < TURN_MS) continue;
    await nextTurn();
    startedAt = performance.now();
  }
  // A fixed order, so that two processes cannot deadlock.
  const all = [...byTrace.keys()].sort().map((key) => byTrace.get(key)!);
  const known: Arrived[] = [];
  for await (const part of chunks(all, () => 0)) {
    const added = new Set(await addTraces(tx, part));
    for (const arrived of part) if (!added.has(keyOf(arrived.trace))) known.push(arrived);
  }
  const isKnown = new Set(known);
  const fresh = all.filter((arrived) => !isKnown.has(arrived));
  for await (const part of chunks(rowsOf(fresh), ({ piece }) => piece.size))
    await insertRows(tx, PIECES, part.map(valuesOf));
  const grown = new Map<Arrived, KnownPiece[]>();
  for await (const part of chunks(rowsOf(known), ({ piece }) => piece.size)) {
    const rows = await insertRows<PieceRow>(tx, KNOWN_PIECES, part.map(valuesOf));
    const added = new Set(rows.map((row) => `${keyOfRow(row)} ${row.piece_key}`));
    for (const { arrived, pieceKey, piece } of part) {
      if (!added.has(`${keyOf(arrived.trace)} ${pieceKey}`)) continue;
      const own = grown.get(arrived);
      if (own === undefined) grown.set(arrived, [piece]);
      else own.push(piece);
    }
  }
  const byOrg = Map.groupBy(grown, ([{ trace }]) => trace.orgId);
  for (const [orgId, own] of byOrg)
    for await (const part of chunks(own, () => 0)) await grow(tx, orgId, part);
}

/** Splits a list into parts of at most `ROWS_AT_A_TIME` rows and about `MAX_BYTES`. Yields to other requests in between. */
export async function* chunks<T>(
  items: Iterable<T>,
  sizeOf: (item: T) => number,
): AsyncIterable<readonly T[]> {
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

interface TraceRow {
  readonly org_id: string;
  readonly trace_id: string;
}
interface PieceRow extends TraceRow {
  readonly piece_key: string;
}

const keyOfRow = ({ org_id, trace_id }: TraceRow): string => `${org_id} ${trace_id}`;

const TRACES: RowTarget = {
  table: "waiting_traces",
  columns: [
    ...["org_id", "trace_id", "key_prefix", "client", "first_at", "waiting_since", "due_at", "revision"],
    ...["size", "waiting_calls"],
  ],
  end: "on conflict (org_id, trace_id) do nothing returning org_id, trace_id",
};
const PIECES: RowTarget = {
  table: "trace_pieces",
  columns: ["org_id", "trace_id", "piece_key", "user_id", "size", "body"],
  end: "",
};
/** Pieces of known traces may have arrived before. */
const KNOWN_PIECES: RowTarget = {
  ...PIECES,
  end: "on conflict (org_id, trace_id, piece_key) do nothing returning org_id, trace_id, piece_key",
};

/** Adds the unknown traces (most of them) with the values that they have after their pieces were added. Returns their keys. */
async function addTraces(tx: Kysely<Database>, part: readonly Arrived[]): Promise<readonly string[]> {
  const rows = part.map(({ trace: { orgId, traceId, keyPrefix, client }, patience, pieces }) => {
    const { size, calls, firstAt, lastAt } = gainOf(pieces.values());
    const dueAt = Math.min(lastAt + patience.quietMs, firstAt + patience.maxMs);
    return [orgId, traceId, keyPrefix, client, firstAt, firstAt, dueAt, 1, size, calls === "" ? null : calls];
  });
  return (await insertRows<TraceRow>(tx, TRACES, rows)).map(keyOfRow);
}

interface NewPiece {
  readonly arrived: Arrived;
  readonly pieceKey: string;
  readonly piece: KnownPiece;
}

function* rowsOf(all: readonly Arrived[]): Iterable<NewPiece> {
  for (const arrived of all)
    for (const [pieceKey, piece] of arrived.pieces) yield { arrived, pieceKey, piece };
}

function valuesOf({ arrived: { trace }, pieceKey, piece: { userId, size, body } }: NewPiece) {
  return [trace.orgId, trace.traceId, pieceKey, userId, size, body];
}

/** Sums up the new pieces of a trace. */
function gainOf(pieces: Iterable<KnownPiece>) {
  let [size, calls, firstAt, lastAt] = [0, "", Number.POSITIVE_INFINITY, 0];
  for (const piece of pieces) {
    size += piece.size;
    calls += piece.calls;
    firstAt = Math.min(firstAt, piece.at);
    lastAt = Math.max(lastAt, piece.at);
  }
  return { size, calls, firstAt, lastAt };
}

/** Lets known traces wait for more data, but at most `maxMs` after the first of the new pieces. */
async function grow(
  tx: Kysely<Database>,
  orgId: string,
  grown: readonly (readonly [arrived: Arrived, pieces: readonly KnownPiece[]])[],
): Promise<void> {
  const number = (value: number) => sql`cast(${value} as bigint)`;
  const rows = grown.map(([{ trace, patience }, pieces]) => {
    const { size, calls, firstAt, lastAt } = gainOf(pieces);
    const instants = sql`${number(firstAt)}, ${number(lastAt + patience.quietMs)}, ${number(patience.maxMs)}`;
    return sql`(cast(${trace.traceId} as text), ${number(size)}, cast(${calls} as text), ${instants})`;
  });
  const last = sql`coalesce(waiting_since, added.column4) + added.column6`;
  await sql`update waiting_traces
    set waiting_since = coalesce(waiting_since, added.column4),
      due_at = case when ${last} < added.column5 then ${last} else added.column5 end,
      revision = revision + 1, size = size + added.column2,
      waiting_calls = nullif(coalesce(waiting_calls, '') || added.column3, '')
    from (values ${sql.join(rows)}) as added
    where org_id = ${orgId} and trace_id = added.column1`.execute(tx);
}
