import { hash } from "node:crypto";
import { EVENT_FIELDS, type TraceFact, type TraceOrigin } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import type { Database } from "../schema/schema.ts";

/** A part of what is known of a trace: facts that came together. */
export interface TracePiece {
  readonly orgId: string;
  readonly traceId: string;
  /** The same facts have the same key. */
  readonly pieceKey: string;
  /** The user that it names, as JSON, because PostgreSQL's text cannot hold NUL. */
  readonly userId: string | null;
  /** Bytes, and 1 KiB more for each fact: however short it is, it costs work. */
  readonly size: number;
  readonly facts: readonly TraceFact[];
  /** The facts as JSON. */
  readonly body: string;
}

const FACT_SIZE = 1024;
/** A piece is closed at this size, so that a trace can be read in part. */
const FULL_SIZE = 1024 * 1024;

/**
 * Divides what came of a trace into pieces, each of which names at most one user: an erasure finds them by an index. What names nobody
 * goes with the first user.
 */
export function* piecesOf(trace: TraceOrigin, facts: readonly TraceFact[]): Iterable<TracePiece> {
  const first = facts.map(userOf).find((user) => user !== null) ?? null;
  for (const [userId, own] of Map.groupBy(facts, (fact) => userOf(fact) ?? first))
    yield* piecesOfUser(trace, userId, own);
}

function* piecesOfUser(
  { orgId, traceId }: TraceOrigin,
  userId: string | null,
  facts: readonly TraceFact[],
): Iterable<TracePiece> {
  let [start, texts, size] = [0, [] as string[], 0];
  for (const [index, fact] of facts.entries()) {
    const text = JSON.stringify(fact);
    texts.push(text);
    size += FACT_SIZE + Buffer.byteLength(text);
    if (size < FULL_SIZE && index < facts.length - 1) continue;
    const body = `[${texts.join(",")}]`;
    const pieceKey = hash("sha256", body).slice(0, 32);
    yield { orgId, traceId, pieceKey, userId, size, facts: facts.slice(start, index + 1), body };
    [start, texts, size] = [index + 1, [], 0];
  }
}

/** An id that is too long for an event is not indexed: nothing comes of it, and no index could hold it. */
function userOf(fact: TraceFact): string | null {
  const named = "userId" in fact ? fact.userId : null;
  return named === null || named.length > 2 * EVENT_FIELDS.userId.max ? null : JSON.stringify(named);
}

/** Takes traces up to a size, and one at least. */
export function within<T extends { readonly size: number }>(
  traces: readonly T[],
  maxSize: number,
): readonly T[] {
  let sum = 0;
  const end = traces.findIndex(({ size }, index) => {
    sum += Number(size);
    return index > 0 && sum > maxSize;
  });
  return end < 0 ? traces : traces.slice(0, end);
}

interface TraceIds {
  readonly orgId: string;
  readonly traceIds: readonly string[];
}

/** Reads the facts of traces, of each at most `maxSize` bytes: a trace may be larger than what fits in memory. */
export async function readPieces(db: Kysely<Database>, { orgId, traceIds }: TraceIds, maxSize: number) {
  const summed = db
    .selectFrom("tracePieces")
    .select(["traceId", "body"])
    .select(sql<number>`sum(size) over (partition by trace_id order by piece_key)`.as("sum"))
    .where("orgId", "=", orgId)
    .where("traceId", "in", traceIds);
  return db.selectFrom(summed.as("summed")).select(["traceId", "body"]).where("sum", "<=", maxSize).execute();
}
