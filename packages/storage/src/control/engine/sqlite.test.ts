import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteFile from "better-sqlite3";
import { CompiledQuery, Kysely, sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { JANUARY, membershipOf, NO_USAGE, NOW, newOrg } from "../../contract-tests/control-plane/fixtures.ts";
import { upgradeContract } from "../../contract-tests/control-plane/upgrade.ts";
import { controlPlaneContract } from "../../contract-tests/control-plane.ts";
import { sqliteDialect } from "../dialect/sqlite-dialect.ts";
import type { Database } from "../schema/schema.ts";
import { openSqliteControlPlane, openSqliteFile, sqliteControlPlane } from "./sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-control-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newFile = () => join(folder, `${randomUUID()}.sqlite`);
const open = (file: string) => openSqliteControlPlane({ file, newId: randomUUID });

const contractFile = newFile();
controlPlaneContract(
  "control plane on SQLite",
  async () => open(contractFile),
  async (statement) => {
    const file = new SqliteFile(contractFile);
    try {
      file.exec(statement);
    } finally {
      file.close();
    }
  },
);

upgradeContract("a SQLite file", async () => {
  const file = newFile();
  return { db: new Kysely<Database>({ dialect: sqliteDialect(openSqliteFile(file)) }), plane: open(file) };
});

describe("the SQLite file", () => {
  test("keeps its data over a restart, readable by its owner only", async () => {
    const file = newFile();
    const before = open(file);
    await before.migrate();
    const orgId = await newOrg(before);
    await before.close();
    const after = open(file);
    await after.migrate();
    expect(await after.orgs.find(orgId)).toMatchObject({ id: orgId });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await after.close();
  });

  test("syncs every commit, checks foreign keys and refuses to replace an audit entry", async () => {
    const file = openSqliteFile(newFile());
    expect(file.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(file.pragma("synchronous", { simple: true })).toBe(2);
    expect(file.pragma("foreign_keys", { simple: true })).toBe(1);
    const plane = sqliteControlPlane(file, randomUUID);
    await plane.migrate();
    const orgId = await newOrg(plane);
    const values = `('a', '${orgId}', 1, '', '', '', '', '', '', 'summary', null)`;
    file.exec(`insert into audit_entries values ${values}`);
    expect(() => file.exec(`insert or replace into audit_entries values ${values}`)).toThrow("append-only");
    await plane.close();
    expect(file.open).toBe(false);
  });

  test("is not shared with other processes", async () => {
    const plane = open(newFile());
    expect(plane.isShared).toBe(false);
    await plane.close();
  });

  test("closes without having been used", async () => {
    const file = openSqliteFile(newFile());
    await sqliteControlPlane(file, randomUUID).close();
    expect(file.open).toBe(false);
  });

  test("throws storage-unavailable when the disk is full, loses nothing and continues once there is space", async () => {
    const file = openSqliteFile(newFile());
    const plane = sqliteControlPlane(file, randomUUID);
    await plane.migrate();
    const orgId = await newOrg(plane);
    file.pragma(`max_page_count = ${file.pragma("page_count", { simple: true })}`);
    const writeTooMuch = plane.transaction(async (stores) => {
      await stores.usage.putEvents({ orgId, month: JANUARY, events: 1 });
      await stores.people.putMembership(membershipOf({ externalUserId: "x".repeat(1_000_000) }), NOW);
    });
    await expect(writeTooMuch).rejects.toMatchObject({
      kind: "storage-unavailable",
      message: expect.stringMatching(/disk .* is full/),
      retryAfterSeconds: 30,
      cause: { code: "SQLITE_FULL" },
    });
    expect(await plane.usage.get(orgId, JANUARY)).toEqual(NO_USAGE);
    file.pragma("max_page_count = 100000");
    await plane.usage.putEvents({ orgId, month: JANUARY, events: 1 });
    expect(await plane.usage.get(orgId, JANUARY)).toMatchObject({ events: 1 });
    await plane.close();
  });

  test("a statement that ran before sees a column that another process has added since", async () => {
    const path = newFile();
    const db = new Kysely<Record<string, unknown> & { notes: Record<string, unknown> }>({
      dialect: sqliteDialect(openSqliteFile(path)),
    });
    await sql`create table notes (id text)`.execute(db);
    const all = () => db.selectFrom("notes").selectAll().execute();
    expect(await all()).toEqual([]);
    const other = new SqliteFile(path);
    other.exec("alter table notes add column text text; insert into notes values ('1', 'new')");
    other.close();
    expect(await all()).toEqual([{ id: "1", text: "new" }]);
    await db.destroy();
  });

  test("more statements than are kept prepared give their own answers", async () => {
    const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(openSqliteFile(newFile())) });
    for (const number of [...Array(600).keys(), 0, 599]) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(`select ${number} as answer`));
      expect(rows).toEqual([{ answer: number }]);
    }
    await db.destroy();
  });

  test("throws storage-unavailable when it becomes read-only", async () => {
    const file = openSqliteFile(newFile());
    const plane = sqliteControlPlane(file, randomUUID);
    await plane.migrate();
    file.pragma("query_only = ON");
    await expect(newOrg(plane)).rejects.toMatchObject({ kind: "storage-unavailable" });
    await plane.close();
  });

  test("waits for another process to finish writing without blocking this one, and gives up after a while", async () => {
    const path = newFile();
    const plane = open(path);
    await plane.migrate();
    const other = new SqliteFile(path);
    other.exec("begin immediate");
    const writing = newOrg(plane);
    const start = performance.now();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(performance.now() - start).toBeLessThan(1_000);
    other.exec("commit");
    await expect(writing).resolves.toBeDefined();
    other.exec("begin immediate");
    await expect(newOrg(plane)).rejects.toMatchObject({ kind: "storage-unavailable", retryAfterSeconds: 1 });
    other.close();
    await plane.close();
  });

  test.each([
    { name: "its folder is missing", path: () => join(folder, "missing", "x"), remedy: /create the folder/ },
    { name: "it is a folder", path: () => folder, remedy: /does not name a file/ },
    {
      name: "it is not a database",
      path: () => {
        const file = newFile();
        writeFileSync(file, "not a database, ".repeat(500));
        return file;
      },
      remedy: /not a database; restore it/,
    },
  ])("says in one line what to do when $name", ({ path, remedy }) => {
    const failing = () => open(path());
    expect(failing).toThrow(remedy);
    expect(failing).toThrow(/^Cannot open the control-plane database [^\n]+\.$/);
    expect(failing).toThrow(expect.objectContaining({ name: "StartupError" }));
  });
});
