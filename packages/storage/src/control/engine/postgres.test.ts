import { randomUUID } from "node:crypto";
import { Kysely } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newOrg } from "../../contract-tests/control-plane/fixtures.ts";
import { upgradeContract } from "../../contract-tests/control-plane/upgrade.ts";
import { controlPlaneContract } from "../../contract-tests/control-plane.ts";
import { postgresDialect } from "../dialect/postgres-dialect.ts";
import type { Database } from "../schema/schema.ts";
import { openPostgresControlPlane } from "./postgres.ts";

const serverUrl = process.env.ASSAY_TEST_DATABASE_URL;

describe("a PostgreSQL address", () => {
  test.each(["localhost:5432", "mysql://localhost/assay", "postgres://[/assay"])(
    "that is malformed is refused without repeating it: %s",
    (url) => {
      const failing = () => openPostgresControlPlane({ url, newId: randomUUID });
      expect(failing).toThrow(/^ASSAY_DATABASE_URL is not a PostgreSQL address: write it as [^\n]+\.$/);
      expect(failing).toThrow(expect.objectContaining({ name: "StartupError" }));
    },
  );

  test("where nothing listens makes every call throw storage-unavailable", async () => {
    const plane = openPostgresControlPlane({ url: "postgres://a:b@127.0.0.1:1/c", newId: randomUUID });
    const unavailable = { kind: "storage-unavailable", retryAfterSeconds: 5 };
    await expect(plane.ping()).rejects.toMatchObject(unavailable);
    await expect(plane.migrate()).rejects.toMatchObject(unavailable);
    await expect(plane.orgs.list()).rejects.toMatchObject(unavailable);
    await expect(plane.transaction(({ orgs }) => orgs.list())).rejects.toMatchObject(unavailable);
    await plane.close();
  });
});

if (serverUrl) onServer(serverUrl);
else {
  console.warn("NOT RUN: the control plane on PostgreSQL. Set ASSAY_TEST_DATABASE_URL to run it.");
  test.skip("NOT RUN: the control plane on PostgreSQL (ASSAY_TEST_DATABASE_URL is not set)", () => {});
}

function onServer(url: string): void {
  const schema = `assay_test_${randomUUID().replaceAll("-", "")}`;
  const server = new pg.Client({ connectionString: url });
  const urlOf = (searchPath: string) => {
    const schemaUrl = new URL(url);
    schemaUrl.searchParams.set("options", `-c search_path=${searchPath}`);
    schemaUrl.searchParams.set("application_name", searchPath);
    return schemaUrl.href;
  };
  const open = (searchPath = schema) =>
    openPostgresControlPlane({ url: urlOf(searchPath), newId: randomUUID, maxConnections: 5 });
  const older: string[] = [];

  beforeAll(async () => {
    await server.connect();
    await server.query(`create schema ${schema}`);
    await server.query(`set search_path = ${schema}`);
  });
  afterAll(async () => {
    for (const name of older) await server.query(`drop schema ${name} cascade`);
    await server.query(`drop schema ${schema} cascade`);
    await server.end();
  });

  test("whose user may create no tables is explained in one line", async () => {
    const plane = open("pg_catalog");
    await expect(plane.migrate()).rejects.toMatchObject({
      name: "StartupError",
      message: expect.stringMatching(/^The user in ASSAY_DATABASE_URL may not create[^\n]*grant it CREATE/),
    });
    await plane.close();
  });

  controlPlaneContract(
    "control plane on PostgreSQL",
    async () => open(),
    async (sql) => {
      await server.query(sql);
    },
  );

  upgradeContract("a PostgreSQL schema", async () => {
    const name = `${schema}_older_${older.length}`;
    await server.query(`create schema ${name}`);
    older.push(name);
    const pool = new pg.Pool({ connectionString: urlOf(name) });
    return { db: new Kysely<Database>({ dialect: postgresDialect(pool) }), plane: open(name) };
  });

  test("has its own schema beside another Assay in the same database", async () => {
    const neighbour = `${schema}_b`;
    await server.query(`create schema ${neighbour}`);
    const plane = open(neighbour);
    try {
      await plane.migrate();
      expect(await plane.orgs.list()).toEqual([]);
    } finally {
      await plane.close();
      await server.query(`drop schema ${neighbour} cascade`);
    }
  });

  test("starts while tables of another schema come and go", async () => {
    const neighbour = `${schema}_busy`;
    const busy = new pg.Client({ connectionString: urlOf(neighbour) });
    await busy.connect();
    await busy.query(`create schema ${neighbour}`);
    const names = Array.from({ length: 40 }, (_, index) => `come_and_go_${index}`);
    let isDone = false;
    const coming = (async () => {
      while (!isDone) {
        for (const name of names) await busy.query(`create table ${name} (id serial, a int, b int, c int)`);
        for (const name of names) await busy.query(`drop table ${name}`);
      }
    })();
    try {
      for (let start = 0; start < 30; start++) {
        const plane = open();
        try {
          await plane.migrate();
        } finally {
          await plane.close();
        }
      }
    } finally {
      isDone = true;
      await coming;
      await busy.query(`drop schema ${neighbour} cascade`);
      await busy.end();
    }
  });

  test("is shared with other processes", async () => {
    const plane = open();
    expect(plane.isShared).toBe(true);
    await plane.close();
  });

  test("refuses to truncate the audit log", async () => {
    await expect(server.query("truncate audit_entries")).rejects.toThrow("append-only");
  });

  test("throws storage-unavailable when its connections are cut, and continues with new ones", async () => {
    const plane = open();
    const cut = () =>
      server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = $1",
        [schema],
      );
    const orgId = await newOrg(plane);
    const cutOff = plane.transaction(async ({ orgs }) => {
      await orgs.bumpConfigVersion(orgId);
      await cut();
      await orgs.bumpConfigVersion(orgId);
    });
    await expect(cutOff).rejects.toMatchObject({ kind: "storage-unavailable" });
    expect(await plane.orgs.find(orgId)).toMatchObject({ configVersion: 1 });
    await plane.close();
  });
}
