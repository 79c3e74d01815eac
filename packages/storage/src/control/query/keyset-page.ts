import type { Page, PageQuery } from "@assay/domain";
import { type SelectQueryBuilder, sql } from "kysely";
import { parseCursor, toCursor } from "../../cursor.ts";

/** The position of a row in a list. */
interface Position {
  readonly at: number;
  readonly id: string;
}

/** The columns that order a list: a timestamp, and an id for rows with equal timestamps. */
interface ListOrder<Row> {
  readonly at: string;
  readonly id: string;
  readonly positionOf: (row: Row) => Position;
}

/**
 * Reads one page of a query's rows, newest first. The cursor is the last row's position, so rows that are added between two
 * pages do not shift the list. Throws `invalid-query` for an invalid cursor.
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  order: ListOrder<Row>,
  { limit, cursor }: PageQuery,
): Promise<Page<Row>> {
  const [at, id] = [sql.ref(order.at), sql.ref(order.id)];
  let rest = query;
  if (cursor !== undefined) {
    const last = positionOf(cursor);
    rest = rest.where(sql<boolean>`(${at}, ${id}) < (${last.at}, ${last.id})`);
  }
  const rows = await rest
    .orderBy(at, "desc")
    .orderBy(id, "desc")
    .limit(limit + 1)
    .execute();
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: last && rows.length > limit ? cursorOf(order.positionOf(last)) : null };
}

/** Maps the rows of a page. */
export const mapPage = <Row, T>({ items, nextCursor }: Page<Row>, toItem: (row: Row) => T): Page<T> => ({
  items: items.map(toItem),
  nextCursor,
});

/** Merges the pages of two lists into one page. The ids are lower-case UUIDs, which sort here as in any database. */
export function mergePages<A extends Position, B extends Position>(
  a: Page<A>,
  b: Page<B>,
  limit: number,
): Page<A | B> {
  const all = [...a.items, ...b.items].sort((x, y) => y.at - x.at || (x.id < y.id ? 1 : -1));
  const items = all.slice(0, limit);
  const last = items.at(-1);
  const hasMore = all.length > limit || a.nextCursor !== null || b.nextCursor !== null;
  return { items, nextCursor: last && hasMore ? cursorOf(last) : null };
}

const cursorOf = ({ at, id }: Position): string => toCursor([at, id]);

function positionOf(cursor: string): Position {
  const [at, id] = parseCursor(cursor, isPosition);
  return { at, id };
}

function isPosition(position: readonly unknown[]): position is readonly [number, string] {
  const [at, id] = position;
  return Number.isSafeInteger(at) && typeof id === "string" && !id.includes("\0");
}
