import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  findClickHouse,
  type RunningClickHouse,
  startClickHouse,
} from "../../../../../tests/servers/clickhouse.ts";
import { clickhouseEventStore } from "../clickhouse-event-store.ts";
import { probeClickHouse } from "./probe-clickhouse.ts";

test("an unreachable server is reported in one line that names the setting", async () => {
  const nowhere = { url: "http://127.0.0.1:1", username: "default", password: "" };
  await expect(probeClickHouse(nowhere)).rejects.toThrow(
    /^ClickHouse at ASSAY_EVENTS_URL does not answer: check the address and that the server runs\.$/,
  );
});

describe.skipIf(findClickHouse() === null)("a server", () => {
  let server: RunningClickHouse;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server.stop());

  const connection = (change: { readonly password?: string; readonly database?: string } = {}) => {
    const url = new URL(server.url);
    const database = url.searchParams.get("database") ?? url.pathname.slice(1);
    const { username, password } = url;
    return { url: url.origin, username, password, database, ...change };
  };

  test("reports its version and database, and whether the tables exist", async () => {
    expect((await probeClickHouse(connection())).found).toMatch(
      /^ClickHouse \d+\.\d+\S*, database assay, no tables yet: the first start creates them$/,
    );
    const store = clickhouseEventStore(connection());
    await store.migrate();
    await store.close();
    expect((await probeClickHouse(connection())).found).toMatch(/, database assay, tables exist$/);
  });

  test("advises to restore parts that the server put aside as damaged", async () => {
    const store = clickhouseEventStore(connection());
    await store.migrate();
    await store.close();
    expect((await probeClickHouse(connection())).advice).not.toContainEqual(expect.stringMatching(/damaged/));
    const { username, password, ...at } = connection();
    const client = createClient({ ...at, username, password });
    const found = await client.query({
      query: "SELECT data_paths[1] AS path FROM system.tables WHERE database = 'assay' AND name = 'analysis'",
      format: "JSONEachRow",
    });
    const [table] = await found.json<{ path: string }>();
    await client.close();
    mkdirSync(join(table?.path ?? "", "detached", "broken-on-start_all_1_1_0"));
    expect((await probeClickHouse(connection())).advice).toContainEqual(
      expect.stringMatching(/^ClickHouse put 1 damaged part of tables aside .*restore them from a backup/),
    );
  });

  test.each([
    { name: "a wrong password", change: { password: "wrong" }, says: /refuses the user or the password/ },
    { name: "a database that does not exist", change: { database: "nowhere" }, says: /create it/ },
  ])("$name is reported with a fix", async ({ change, says }) => {
    await expect(probeClickHouse(connection(change))).rejects.toThrow(says);
  });
});
