import type { Change } from "@assay/domain";
import type { DialectAdapter, Kysely, QueryExecutorProvider, RawBuilder, SelectQueryBuilder } from "kysely";

/** The differences between the databases beyond the SQL that Kysely generates. */
export interface ControlDialect {
  readonly name: "postgres" | "sqlite";
  /** A text type whose values sort by code point. */
  readonly codePointText: "text" | RawBuilder<unknown>;
  /** Finds the schema in which tables are created; undefined for a database with only one. */
  findSchema(db: QueryExecutorProvider): Promise<string | undefined>;
  /**
   * Transactions that lock the same table run one at a time; reads continue. This protects rules about rows that do not
   * exist yet, on tables that are rarely written.
   */
  lockTable<DB>(db: Kysely<DB>, table: keyof DB & string): Promise<void>;
  /** Locks the rows that the query finds, and waits for those that another transaction has locked. */
  lockRows<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
  ): SelectQueryBuilder<DB, TB, Row>;
  /** Locks the rows that the query finds, and skips those that another transaction has locked. */
  skipLocked<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
  ): SelectQueryBuilder<DB, TB, Row>;
  /** Notifies every process of a change once its transaction commits. */
  notifyChange(db: QueryExecutorProvider, change: Change): Promise<void>;
}

/** A Kysely adapter that carries its dialect, so that every query finds it through its connection. */
export interface ControlAdapter extends DialectAdapter {
  readonly control: ControlDialect;
}

/** Returns the dialect of a database or a transaction. */
export function dialectOf(db: QueryExecutorProvider): ControlDialect {
  const { adapter } = db.getExecutor();
  if (!isControlAdapter(adapter))
    throw new TypeError("The database was opened with one of Kysely's own dialects.");
  return adapter.control;
}

/** PostgreSQL text cannot contain NUL, and a query with NUL in a parameter fails. */
export const canBeStored = (db: QueryExecutorProvider, text: string): boolean =>
  dialectOf(db).name !== "postgres" || !text.includes("\0");

const isControlAdapter = (adapter: DialectAdapter): adapter is ControlAdapter => "control" in adapter;
