import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteFile from "better-sqlite3";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPostgresControlPlane } from "../control/engine/postgres.ts";
import { openSqliteControlPlane } from "../control/engine/sqlite.ts";
import { type ControlSnapshot, takeControlSnapshot } from "./control-snapshot.ts";
import { type ControlTarget, openControlTarget } from "./control-target.ts";

const serverUrl = process.env.ASSAY_TEST_DATABASE_URL;
const ROWS = 3;
/** Tables of the database itself, not of the installation in it. */
const NOT_MOVED = ["assay_migration", "assay_migration_lock", "judge_reports", "schema_compatibility"];

const folder = mkdtempSync(join(tmpdir(), "assay-control-move-"));
const file = join(folder, "control.sqlite");

beforeAll(async () => {
  const control = openSqliteControlPlane({ file, newId: randomUUID });
  await control.migrate();
  await control.close();
  fill(file);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts rows into every table, with values that are easily corrupted in transit. */
function fill(path: string): void {
  const db = new SqliteFile(path);
  const tables = db
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'assay_%'",
    )
    .pluck()
    .all();
  db.pragma("foreign_keys = OFF");
  for (const table of tables) {
    const columns = db.prepare<[string], Column>("select * from pragma_table_info(?)").all(table);
    const names = columns.map(({ name }) => name);
    const insert = db.prepare(
      `insert or replace into ${table} (${names.join()}) values (${names.map(() => "?").join()})`,
    );
    for (let i = 0; i < ROWS; i++)
      insert.run(columns.map((column) => makeValue(db, table, { ...column, i })));
  }
  expect(db.pragma("foreign_key_check")).toEqual([]);
  db.close();
}

test("a damaged file is named, not the copy that is read", async () => {
  const damaged = join(folder, "damaged.sqlite");
  writeFileSync(damaged, "This is no database. ".repeat(1_000));
  await expect(takeControlSnapshot(damaged)).rejects.toMatchObject({
    name: "StartupError",
    message: expect.stringContaining(`Cannot open the control-plane database ${damaged}: `),
  });
});

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  /** Position in the primary key; 0 when not part of it. */
  readonly pk: number;
}

function makeValue(
  db: SqliteFile.Database,
  table: string,
  { name, type, notnull, pk, i }: Column & { readonly i: number },
): unknown {
  const refersTo = db
    .prepare<[string, string], { table: string; to: string }>(
      `select "table", "to" from pragma_foreign_key_list(?) where "from" = ?`,
    )
    .get(table, name);
  const referred =
    refersTo &&
    db
      .prepare<[string, string], Column>("select * from pragma_table_info(?) where name = ?")
      .get(refersTo.table, refersTo.to);
  if (referred) return makeValue(db, refersTo.table, { ...referred, i });
  if (!notnull && !pk && i === 0) return null;
  switch (type.toLowerCase()) {
    case "integer":
      return i + 1;
    case "bigint":
      return 9_007_199_254_740_991n - BigInt(i);
    case "double precision":
      return [0.1 + 0.2, -1.7976931348623157e308, 5e-324][i];
    default:
      return `${name} ${i}: "ünï" 'q' \\ \n {"json": "\\u0001 🎈"}`;
  }
}

describe("the snapshot of a data folder's control plane", () => {
  test("leaves the file and its folder as they are", async () => {
    const before = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const snapshot = await takeControlSnapshot(file);
    expect(snapshot.tables.length).toBeGreaterThan(20);
    await snapshot.close();
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])).toEqual(before);
  });

  test("includes rows that are only in the file's log after a crash", async () => {
    const crashed = join(folder, "crashed.sqlite");
    const writer = new SqliteFile(crashed);
    writer.pragma("journal_mode = WAL");
    writer.close();
    const control = openSqliteControlPlane({ file: crashed, newId: randomUUID });
    await control.migrate();
    const other = new SqliteFile(crashed);
    other.prepare("insert into ended_sessions (id, expires_at) values ('only in the log', 1)").run();
    const snapshot = await takeControlSnapshot(crashed);
    const ended = snapshot.tables.find(({ name }) => name === "ended_sessions");
    expect(ended && [...snapshot.rows(ended)]).toEqual([["only in the log", 1n]]);
    await snapshot.close();
    other.close();
    await control.close();
  });

  test("has the same installation id each time, and a different one with a different first org", async () => {
    const first = await takeControlSnapshot(file);
    const second = await takeControlSnapshot(file);
    const empty = await takeControlSnapshot(join(folder, "crashed.sqlite"));
    expect(second.fingerprint).toBe(first.fingerprint);
    expect(empty.fingerprint).not.toBe(first.fingerprint);
    for (const snapshot of [first, second, empty]) await snapshot.close();
  });
});

if (serverUrl) onServer(serverUrl);
else {
  console.warn("NOT RUN: moving a control plane to PostgreSQL. Set ASSAY_TEST_DATABASE_URL to run it.");
  test.skip("NOT RUN: moving a control plane to PostgreSQL (ASSAY_TEST_DATABASE_URL is not set)", () => {});
}

function onServer(url: string): void {
  const server = new pg.Client({ connectionString: url });
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(() => server.connect());
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => server.end());

  const open = async () => {
    const schema = `assay_move_${randomUUID().replaceAll("-", "")}`;
    await server.query(`create schema ${schema}`);
    closers.push(() => server.query(`drop schema ${schema} cascade`));
    await server.query(`set search_path = ${schema}`);
    const own = new URL(url);
    own.searchParams.set("options", `-c search_path=${schema}`);
    const target = openControlTarget(own.href);
    const plane = openPostgresControlPlane({ url: own.href, newId: randomUUID, maxConnections: 2 });
    closers.push(
      () => plane.close(),
      () => target.close(),
    );
    const snapshot = await takeControlSnapshot(file);
    closers.push(() => snapshot.close());
    return { schema, target, plane, snapshot };
  };

  const rowsOf = async (snapshot: ControlSnapshot) => {
    const stored: Record<string, unknown> = {};
    for (const { name, columns } of snapshot.tables) {
      const list = columns.map((column) => `"${column}"`).join();
      const { rows } = await server.query({ text: `select ${list} from "${name}"`, rowMode: "array" });
      stored[name] = sorted(rows);
    }
    return stored;
  };

  test("includes every table that the migrations create", async () => {
    const { schema, target, snapshot } = await open();
    await target.migrate();
    const { rows } = await server.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = $1",
      [schema],
    );
    const made = rows.map(({ name }) => name).filter((name) => !NOT_MOVED.includes(name));
    expect(snapshot.tables.map(({ name }) => name).sort()).toEqual(made.sort());
  });

  test("copies every row of every table, value by value", async () => {
    const { target, snapshot, plane } = await open();
    await target.migrate();
    expect(await target.isEmpty()).toBe(true);
    await target.mark(snapshot.fingerprint);
    const parts = await target.fill(snapshot, [], () => {});
    expect(parts).toEqual(
      snapshot.tables.map(({ name }) => ({ name, source: ROWS, target: ROWS, isEqual: true })),
    );
    const expected = Object.fromEntries(
      snapshot.tables.map((table) => [table.name, sorted([...snapshot.rows(table)])]),
    );
    expect(await rowsOf(snapshot)).toEqual(expected);
    await plane.migrate();
    expect(await target.isEmpty()).toBe(false);
    expect(await target.findMark()).toEqual({ source: snapshot.fingerprint, isFinished: true });
  });

  test("replaces a secret that a first start created with the one from a file", async () => {
    const { target, snapshot } = await open();
    await target.migrate();
    await server.query(
      "insert into installation_secrets values ('theirs', 'x', 1), ('identity-key', 'x', 1)",
    );
    await target.mark(snapshot.fingerprint);
    await target.fill(snapshot, [{ name: "identity-key", sealed: "ours" }], () => {});
    const { rows } = await server.query(
      "select sealed from installation_secrets where name in ('theirs', 'identity-key')",
    );
    expect(rows).toEqual([{ sealed: "ours" }]);
  });

  describe("an unfinished move", () => {
    const expectNothing = async (target: ControlTarget, snapshot: ControlSnapshot) => {
      expect(await target.isEmpty()).toBe(true);
      expect(await target.findMark()).toEqual({ source: snapshot.fingerprint, isFinished: false });
    };

    test("keeps services from starting, and only continues from its source", async () => {
      const { target, plane, snapshot } = await open();
      await plane.migrate();
      await target.mark(snapshot.fingerprint);
      expect(await target.mark("another")).toEqual({ source: snapshot.fingerprint, isFinished: false });
      await expect(plane.migrate()).rejects.toMatchObject({
        name: "StartupError",
        message: expect.stringMatching(/^[^\n]+assay migrate --from DIR again[^\n]+\.$/),
      });
    });

    test("leaves nothing behind when it fails halfway, and copies everything when repeated", async () => {
      const { target, snapshot, schema } = await open();
      await target.migrate();
      await target.mark(snapshot.fingerprint);
      await server.query(`alter table ${schema}.labels add constraint refused check (metric is null)`);
      await expect(target.fill(snapshot, [], () => {})).rejects.toThrow(/refused/);
      await expectNothing(target, snapshot);
      await server.query(`alter table ${schema}.labels drop constraint refused`);
      const parts = await target.fill(snapshot, [], () => {});
      expect(parts.every(({ isEqual }) => isEqual)).toBe(true);
    });

    test("copies nothing when a count differs", async () => {
      const { target, snapshot } = await open();
      await target.migrate();
      await target.mark(snapshot.fingerprint);
      const parts = await target.fill({ ...snapshot, count: () => ROWS + 1 }, [], () => {});
      expect(parts.some(({ isEqual }) => isEqual)).toBe(false);
      await expectNothing(target, snapshot);
    });
  });
}

/** Converts rows to sorted text, because PostgreSQL returns large integers as text. */
const sorted = (rows: readonly (readonly unknown[])[]): readonly string[] =>
  rows.map((row) => JSON.stringify(row.map((value) => (value === null ? null : String(value))))).sort();
