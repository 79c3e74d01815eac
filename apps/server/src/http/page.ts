import type { Page, PageQuery } from "@assay/domain";

/** Lists answer this many items unless another number is asked for (contract §4). */
const DEFAULT_LIMIT = 50;

/** Reads which part of a list the query asks for. */
export function toPageQuery({ limit = DEFAULT_LIMIT, cursor }: Partial<PageQuery>): PageQuery {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** Makes the answer of a page, each item's by `answer`. */
export function pageAnswer<T, A>({ items, nextCursor }: Page<T>, answer: (item: T) => A) {
  return { items: items.map(answer), nextCursor };
}
