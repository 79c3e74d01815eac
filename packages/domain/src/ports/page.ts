/** Which part of a list, newest first. */
export interface PageQuery {
  readonly limit: number;
  /** What the previous page's `nextCursor` was; the first page when absent. Throws `invalid-query` when it is none of ours. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}
