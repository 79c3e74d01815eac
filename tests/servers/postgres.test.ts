import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPostgres, type RunningPostgres, startPostgres } from "./postgres.ts";

const bin = findPostgres();

if (bin === null) {
  console.warn("NOT RUN: a PostgreSQL of the suite's own. Install the package postgresql to run it.");
  test.skip("NOT RUN: a PostgreSQL of the suite's own (no postgresql here)", () => {});
} else overServer();

function overServer(): void {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startPostgres({ settings: { max_connections: "20" } });
  });
  afterAll(() => server.stop());

  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  test("keeps its data and its address over a restart and a kill", async () => {
    expect(await query("show max_connections")).toEqual([{ max_connections: "20" }]);
    await query("create table kept as select 7 as value");
    const first = server.pid;
    await server.restart();
    expect(server.pid).not.toBe(first);
    expect(await query("select value from kept")).toEqual([{ value: 7 }]);
    await server.kill("SIGKILL");
    await expect(query("select 1")).rejects.toThrow();
    await server.restart();
    expect(await query("select value from kept")).toEqual([{ value: 7 }]);
  });
}
