import type { Page, PageQuery } from "@assay/domain";
import { type SelectQueryBuilder, sql } from "kysely";
import { parseCursor, toCursor } from "../../cursor.ts";

/** Where a row stands in a list. */
interface Position {
  readonly at: number;
  readonly id: string;
}

/** By which columns a list is ordered: an instant, and an id that tells rows of one instant apart. */
interface ListOrder<Row> {
  readonly at: string;
  readonly id: string;
  readonly positionOf: (row: Row) => Position;
}

/**
 * Reads one page of a query's rows, newest first. The cursor is the last row's position, so rows that come meanwhile
 * neither shift nor repeat the rest. Throws `invalid-query` for a cursor that is none of ours.
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

/** Turns the page's rows into what the list is of. */
export const mapPage = <Row, T>({ items, nextCursor }: Page<Row>, toItem: (row: Row) => T): Page<T> => ({
  items: items.map(toItem),
  nextCursor,
});

/**
 * Joins the pages that two lists gave for one query into the page of both. Their ids are UUIDs of one case, which
 * sort here as in any database.
 */
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
