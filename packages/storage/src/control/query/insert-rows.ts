import { CompiledQuery, type Kysely } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import type { Database } from "../schema/schema.ts";

/** Where to insert rows. Names are as in SQL. */
export interface RowTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** The SQL after the values. */
  readonly end: string;
}

/** PostgreSQL limits the parameters of a statement, and every round trip takes time. */
const POSTGRES_SIZES = [500];
/** SQLite's statements are cached, so a few sizes serve any number of rows. */
const SQLITE_SIZES = [100, 10, 1];

/**
 * Inserts rows, each with a value for every column. Returns the statement's result, with names as in SQL. It bypasses Kysely,
 * which takes as long to build a statement of hundreds of values as the database takes to run it.
 */
export async function insertRows<Returned>(
  db: Kysely<Database>,
  target: RowTarget,
  rows: readonly (readonly unknown[])[],
): Promise<readonly Returned[]> {
  const plain = db.withoutPlugins();
  const isSqlite = dialectOf(db).name === "sqlite";
  const returned: Returned[] = [];
  for (let from = 0; from < rows.length; ) {
    const left = rows.length - from;
    const size = (isSqlite ? SQLITE_SIZES : POSTGRES_SIZES).find((one) => one <= left) ?? left;
    const part = rows.slice(from, from + size);
    from += size;
    const statement = CompiledQuery.raw(statementOf(target, size, isSqlite), part.flat());
    const { rows: found } = await plain.executeQuery<Returned>(statement);
    for (const row of found) returned.push(row);
  }
  return returned;
}

function statementOf({ table, columns, end }: RowTarget, size: number, isSqlite: boolean): string {
  const row = (first: number) => {
    const places = columns.map((_, column) => (isSqlite ? "?" : `$${first + column}`));
    return `(${places.join(", ")})`;
  };
  const rows = isSqlite
    ? new Array<string>(size).fill(row(1))
    : Array.from({ length: size }, (_, index) => row(1 + index * columns.length));
  return `insert into ${table} (${columns.join(", ")}) values ${rows.join(", ")} ${end}`;
}
