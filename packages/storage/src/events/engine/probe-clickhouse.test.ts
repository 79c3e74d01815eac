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

  test.each([
    { name: "a wrong password", change: { password: "wrong" }, says: /refuses the user or the password/ },
    { name: "a database that does not exist", change: { database: "nowhere" }, says: /create it/ },
  ])("$name is reported with a fix", async ({ change, says }) => {
    await expect(probeClickHouse(connection(change))).rejects.toThrow(says);
  });
});
