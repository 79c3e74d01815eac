import type { Page, PageQuery } from "@assay/domain";

/** Lists return this many items unless the request sets another number (contract §4). */
const DEFAULT_LIMIT = 50;

/** Reads the requested part of a list from the query. */
export function toPageQuery({ limit = DEFAULT_LIMIT, cursor }: Partial<PageQuery>): PageQuery {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** Makes the answer for one page of a list. `answer` converts each item. */
export function pageAnswer<T, A>({ items, nextCursor }: Page<T>, answer: (item: T) => A) {
  return { items: items.map(answer), nextCursor };
}
