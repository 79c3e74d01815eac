import type { Change } from "@assay/domain";
import type { DialectAdapter, Kysely, QueryExecutorProvider, RawBuilder, SelectQueryBuilder } from "kysely";

/** What differs between the databases, apart from the SQL that Kysely writes. */
export interface ControlDialect {
  readonly name: "postgres" | "sqlite";
  /** A text type whose values sort by code point. */
  readonly codePointText: "text" | RawBuilder<unknown>;
  /** Finds the schema in which tables are created; undefined where a database has only one. */
  findSchema(db: QueryExecutorProvider): Promise<string | undefined>;
  /**
   * Makes transactions that lock the table wait for one another until they end; reads continue. It protects rules about rows that
   * do not exist yet, on tables that are rarely written.
   */
  lockTable<DB>(db: Kysely<DB>, table: keyof DB & string): Promise<void>;
  /** Locks the rows that the query finds, and skips those that another transaction has locked. */
  skipLocked<DB, TB extends keyof DB, Row>(
    query: SelectQueryBuilder<DB, TB, Row>,
  ): SelectQueryBuilder<DB, TB, Row>;
  /** Notifies every process of a change once its transaction is committed. */
  notifyChange(db: QueryExecutorProvider, change: Change): Promise<void>;
}

/** A Kysely adapter that carries its dialect, so that every query finds it from the connection it runs on. */
export interface ControlAdapter extends DialectAdapter {
  readonly control: ControlDialect;
}

/** Returns the dialect of a database or a transaction. */
export function dialectOf(db: QueryExecutorProvider): ControlDialect {
  const { adapter } = db.getExecutor();
  if (!isControlAdapter(adapter))
    throw new TypeError("The database was opened with a dialect of Kysely's own.");
  return adapter.control;
}

/** PostgreSQL has no text with NUL, and refuses a query that names one. */
export const canBeStored = (db: QueryExecutorProvider, text: string): boolean =>
  dialectOf(db).name !== "postgres" || !text.includes("\0");

const isControlAdapter = (adapter: DialectAdapter): adapter is ControlAdapter => "control" in adapter;
