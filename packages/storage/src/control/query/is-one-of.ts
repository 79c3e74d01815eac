import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";

/** Whether a column (named as in SQL) equals one of the texts. They are one parameter, so the statement never changes. */
export function isOneOf(
  db: QueryExecutorProvider,
  column: string,
  texts: readonly string[],
): RawBuilder<SqlBool> {
  return dialectOf(db).name === "postgres"
    ? sql`${sql.raw(column)} = any(${texts}::text[])`
    : sql`${sql.raw(column)} in (select value from json_each(${JSON.stringify(texts)}))`;
}
