import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { describe, expect, test, vi } from "vitest";
import { CLUSTER, findClickHouse, startClickHouse, startClickHouseCluster } from "./clickhouse.ts";

const SERVERS = join(import.meta.dirname, "clickhouse.ts");
const log = { level: ClickHouseLogLevel.OFF };

async function firstValue(client: ClickHouseClient, query: string): Promise<unknown> {
  const result = await client.query({ query, format: "JSONCompactEachRow" });
  const [row] = await result.json<unknown[]>();
  return row?.[0];
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(findClickHouse() === null)("ClickHouse servers for tests", () => {
  test("a server keeps what it acknowledged over kill -9 and a restart, at the same address", async () => {
    const server = await startClickHouse();
    const client = createClient({ url: server.url, log });
    await client.command({ query: "CREATE TABLE kept (n UInt8) ENGINE = MergeTree ORDER BY n" });
    await client.command({ query: "INSERT INTO kept VALUES (1), (2)" });
    const { pid } = server;
    const first = pid();
    server.kill("SIGKILL");
    await vi.waitFor(() => expect(client.ping()).resolves.toMatchObject({ success: false }), 10_000);
    await server.restart();
    expect(pid()).not.toBe(first);
    expect(Number(await firstValue(client, "SELECT count() FROM kept"))).toBe(2);
    await client.close();
    await server.stop();
    expect(isAlive(pid())).toBe(false);
  });

  test("a server refuses a wrong password", async () => {
    const server = await startClickHouse();
    const url = new URL(server.url);
    url.password = "wrong";
    const client = createClient({ url, log });
    await expect(client.query({ query: "SELECT 1" })).rejects.toMatchObject({ code: "516" });
    await client.close();
    await server.stop();
  });

  test("each node of a cluster answers for all shards", async () => {
    const cluster = await startClickHouseCluster({ shards: 2 });
    for (const url of cluster.urls) {
      const client = createClient({ url, log });
      const shards = `SELECT uniqExact(getMacro('shard')) FROM cluster(${CLUSTER}, system.one)`;
      expect(Number(await firstValue(client, shards))).toBe(2);
      await client.close();
    }
    await cluster.stop();
  });

  test("a server ends when the process that started it is killed", async () => {
    const script = `import { startClickHouse } from ${JSON.stringify(SERVERS)}; console.log((await startClickHouse()).pid());`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: parent.stdout });
    const [line] = await once(lines, "line");
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 80_000 });
  });
});
