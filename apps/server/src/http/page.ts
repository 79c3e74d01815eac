import type { Page, PageQuery } from "@assay/domain";

/** Lists answer this many items unless another number is asked for (contract §4). */
const DEFAULT_LIMIT = 50;

/** Reads which part of a list the query asks for. */
export function toPageQuery({ limit = DEFAULT_LIMIT, cursor }: Partial<PageQuery>): PageQuery {
  return cursor === undefined ? { limit } : { limit, cursor };
}

/** Writes a page, each item by `toWire`. */
export function toWirePage<T, W>({ items, nextCursor }: Page<T>, toWire: (item: T) => W) {
  return { items: items.map(toWire), next_cursor: nextCursor };
}
