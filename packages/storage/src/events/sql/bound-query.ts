/** A statement and the values bound to its parameters. */
export interface BoundQuery {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}
