import SqliteFile from "better-sqlite3";
import { Kysely } from "kysely";
import { expect, test } from "vitest";
import { sqliteDialect } from "../dialect/sqlite-dialect.ts";
import { createMigrator } from "./migrator.ts";
import type { Database } from "./schema.ts";

/** The last migration that processes of the previous version need not be compatible with. */
const LAST_FREE = "0010-judging";

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
}

function columnsByTable(file: SqliteFile.Database): ReadonlyMap<string, readonly Column[]> {
  const tables = file
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .pluck()
    .all() as string[];
  return new Map(tables.map((table) => [table, file.pragma(`table_info(${table})`) as Column[]]));
}

/** Lists changes that break processes of the previous version. */
function breaksBetween(
  file: SqliteFile.Database,
  before: ReturnType<typeof columnsByTable>,
): readonly string[] {
  const after = columnsByTable(file);
  return [...before].flatMap(([table, columns]) => {
    const now = after.get(table);
    if (now === undefined) return [`${table} is gone`];
    const gone = columns.filter(
      ({ name, type }) => !now.some((one) => one.name === name && one.type === type),
    );
    const demanded = now.filter(
      ({ name, notnull, dflt_value }) =>
        notnull === 1 &&
        dflt_value === null &&
        !columns.some((one) => one.name === name && one.notnull === 1),
    );
    return [
      ...gone.map(({ name }) => `${table}.${name} is gone or of another type`),
      ...demanded.map(({ name }) => `${table}.${name} must be given`),
    ];
  });
}

test("migrations from 0011 only add, so that processes of two versions can share a database", async () => {
  const file = new SqliteFile(":memory:");
  const db = new Kysely<Database>({ dialect: sqliteDialect(file) });
  const migrator = await createMigrator(db);
  await migrator.migrateTo(LAST_FREE);
  const steps = (await migrator.getMigrations()).map(({ name }) => name).filter((name) => name > LAST_FREE);
  expect(steps[0]).toBe("0011-several-processes");
  for (const step of steps) {
    const before = columnsByTable(file);
    await migrator.migrateTo(step);
    expect([step, breaksBetween(file, before)]).toEqual([step, []]);
  }
  await db.destroy();
});

test.each([
  { sql: "alter table orgs drop column name_order", found: ["orgs.name_order is gone or of another type"] },
  { sql: "alter table orgs rename to organisations", found: ["orgs is gone"] },
  {
    sql: "alter table orgs rename column name to title",
    found: ["orgs.name is gone or of another type", "orgs.title must be given"],
  },
  { sql: "alter table orgs add column note text", found: [] },
  { sql: "alter table orgs add column note text not null default ''", found: [] },
])("$sql is reported: $found", async ({ sql, found }) => {
  const file = new SqliteFile(":memory:");
  const db = new Kysely<Database>({ dialect: sqliteDialect(file) });
  await (await createMigrator(db)).migrateToLatest();
  const before = columnsByTable(file);
  file.exec(sql);
  expect(breaksBetween(file, before)).toEqual(found);
  await db.destroy();
});
