import { hash } from "node:crypto";
import { EVENT_FIELDS, factKey, type TraceFact, type TraceOrigin, type WholeCall } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { isOneOf } from "../query/is-one-of.ts";
import type { Database } from "../schema/schema.ts";

/** A part of what is known of a trace: facts that came together. */
export interface TracePiece {
  /** The user that it names, as JSON, because PostgreSQL's text cannot hold NUL. */
  readonly userId: string | null;
  /** Bytes, and 1 KiB more for each fact: however short it is, it costs work. */
  readonly size: number;
  /** The kinds of its calls, each as JSON with a comma behind it. */
  readonly calls: string;
  /** The facts as JSON, which has no line breaks. */
  readonly body: string;
}

const FACT_SIZE = 1024;
/** A piece is closed at this size, so that a trace can be read in part. */
const FULL_SIZE = 1024 * 1024;

/**
 * Divides what came of a trace into pieces, each of which names at most one user: an erasure finds them by an index. What names nobody
 * goes with the first user.
 */
export function* piecesOf(facts: readonly TraceFact[]): Iterable<TracePiece> {
  const users = facts.map(userOf);
  const first = users.find((user) => user !== null) ?? null;
  if (users.every((user) => user === null || user === first)) yield* piecesOfUser(first, facts);
  else
    for (const [userId, own] of Map.groupBy(facts, (fact) => userOf(fact) ?? first))
      yield* piecesOfUser(userId, own);
}

function* piecesOfUser(userId: string | null, facts: readonly TraceFact[]): Iterable<TracePiece> {
  let [start, texts, size] = [0, [] as string[], 0];
  for (const [index, fact] of facts.entries()) {
    const text = JSON.stringify(fact);
    texts.push(text);
    size += FACT_SIZE + Buffer.byteLength(text);
    if (size < FULL_SIZE && index < facts.length - 1) continue;
    const body = `[${texts.join(",")}]`;
    yield { userId, size, calls: callsIn(facts.slice(start, index + 1)), body };
    [start, texts, size] = [index + 1, [], 0];
  }
}

/** An id that is too long for an event is not indexed: nothing comes of it, and no index could hold it. */
function userOf(fact: TraceFact): string | null {
  const named = "userId" in fact ? fact.userId : null;
  return named === null || named.length > 2 * EVENT_FIELDS.userId.max ? null : JSON.stringify(named);
}

/** The same facts have the same key. */
export const pieceKeyOf = ({ body }: TracePiece): string => hash("sha256", body).slice(0, 32);

/** As what a call is counted. */
export type CallKind = readonly [scope: string, isStream: boolean, hasUsage: boolean];

/**
 * Returns the kinds of the calls among facts, as a piece has them. What came in pieces is one call, and lacks nothing
 * while it is not over.
 */
function callsIn(facts: readonly TraceFact[]): string {
  const kinds = new Map<string, CallKind>();
  for (const fact of facts) {
    const kind = kindOf(fact, undefined);
    if (kind !== null) kinds.set(factKey(fact), kind);
  }
  let text = "";
  for (const kind of kinds.values()) text += `${JSON.stringify(kind)},`;
  return text;
}

/** As what a fact is counted; null for what is no call. */
export function kindOf(fact: TraceFact, whole: WholeCall | undefined): CallKind | null {
  if (fact.kind === "call") return [fact.scope, fact.isStream, fact.hasUsage];
  return fact.kind === "begun" ? [fact.scope, whole?.isStream ?? false, whole?.hasUsage ?? true] : null;
}

/** Names a trace among those of all orgs. */
export const keyOf = ({ orgId, traceId }: Pick<TraceOrigin, "orgId" | "traceId">): string =>
  `${orgId} ${traceId}`;

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

interface SizedTraces {
  readonly orgId: string;
  readonly traces: readonly { readonly traceId: string; readonly size: number }[];
}

/** Reads the facts of traces, of each at most `maxSize` bytes: a trace may be larger than what fits in memory. */
export async function readPieces(
  db: Kysely<Database>,
  { orgId, traces }: SizedTraces,
  maxSize: number,
): Promise<readonly { readonly traceId: string; readonly body: string }[]> {
  const traceIds = traces.map(({ traceId }) => traceId);
  const own = db
    .selectFrom("tracePieces")
    .select(["traceId", "body"])
    .where("orgId", "=", orgId)
    .where(isOneOf(db, "trace_id", traceIds));
  // To add up sizes takes longer than to read.
  if (traces.every(({ size }) => Number(size) <= maxSize)) return own.execute();
  const summed = own.select(sql<number>`sum(size) over (partition by trace_id order by piece_key)`.as("sum"));
  return db.selectFrom(summed.as("summed")).select(["traceId", "body"]).where("sum", "<=", maxSize).execute();
}
