/** Selects a page of a list, newest first. */
export interface PageQuery {
  readonly limit: number;
  /** The previous page's `nextCursor`; absent for the first page. Throws `invalid-query` for an invalid cursor. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}
