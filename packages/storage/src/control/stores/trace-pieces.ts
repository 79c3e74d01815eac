import { hash } from "node:crypto";
import { EVENT_FIELDS, factKey, type TraceFact, type TraceOrigin, type WholeCall } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { isOneOf } from "../query/is-one-of.ts";
import type { Database } from "../schema/schema.ts";

/** Facts of a trace that arrived together. */
export interface TracePiece {
  /** The user whom it names, as JSON, because PostgreSQL's text cannot store NUL. */
  readonly userId: string | null;
  /** Bytes, plus 1 KiB for each fact, because even a short fact costs work. */
  readonly size: number;
  /** The kinds of its calls, each as JSON followed by a comma. */
  readonly calls: string;
  /** The facts as JSON, which has no line breaks. */
  readonly body: string;
}

const FACT_SIZE = 1024;
/** A piece is closed at this size, so that a trace can be read in part. */
const FULL_SIZE = 1024 * 1024;

/**
 * Divides the trace data of a request into pieces that name at most one user each, so that an erasure finds them by an index. Facts
 * that name nobody go with the first user.
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

/** An id too long for an event is not indexed: it never becomes an event, and no index could store it. */
function userOf(fact: TraceFact): string | null {
  const named = "userId" in fact ? fact.userId : null;
  return named === null || named.length > 2 * EVENT_FIELDS.userId.max ? null : JSON.stringify(named);
}

/** Equal facts have the same key. */
export const pieceKeyOf = ({ body }: TracePiece): string => hash("sha256", body).slice(0, 32);

/** What a call is counted as. */
export type CallKind = readonly [scope: string, isStream: boolean, hasUsage: boolean];

/**
 * Returns the kinds of the calls among facts, in the form that a piece stores. A call that was sent in several parts counts once, and
 * lacks nothing while it is not finished.
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

/** What a fact is counted as; null for a fact that is not a call. */
export function kindOf(fact: TraceFact, whole: WholeCall | undefined): CallKind | null {
  if (fact.kind === "call") return [fact.scope, fact.isStream, fact.hasUsage];
  return fact.kind === "begun" ? [fact.scope, whole?.isStream ?? false, whole?.hasUsage ?? true] : null;
}

/** The key of a trace among those of all orgs. */
export const keyOf = ({ orgId, traceId }: Pick<TraceOrigin, "orgId" | "traceId">): string =>
  `${orgId} ${traceId}`;

/** Takes traces up to a total size, but at least one. */
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

/** Reads the facts of traces, at most `maxSize` bytes of each, because a trace may be too large for memory. */
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
  // Summing the sizes takes longer than reading.
  if (traces.every(({ size }) => Number(size) <= maxSize)) return own.execute();
  const summed = own.select(sql<number>`sum(size) over (partition by trace_id order by piece_key)`.as("sum"));
  return db.selectFrom(summed.as("summed")).select(["traceId", "body"]).where("sum", "<=", maxSize).execute();
}
