import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { getPriority } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type EmbeddedClickHouse,
  type EmbeddedClickHouseOptions,
  startEmbeddedClickHouse,
} from "./embedded-clickhouse.ts";
import { clientOf, silentLog, temporaryClickHouse, temporaryFolder } from "./temporary-clickhouse.ts";

const endless = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)";
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(options: Partial<EmbeddedClickHouseOptions> = {}) {
  const engine = await temporaryClickHouse(options);
  cleanups.push(engine.dispose);
  return engine;
}

async function newFolder(): Promise<string> {
  const folder = await temporaryFolder();
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const answers = (url: string) =>
  fetch(`${url}/ping`).then(
    (response) => response.ok,
    () => false,
  );

const until = (condition: () => void | Promise<void>) =>
  vi.waitFor(condition, { timeout: 80_000, interval: 50 });

describe("a child that dies or hangs", () => {
  test("is replaced at the same address and keeps every acknowledged row", async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string) =>
      void lines.push(JSON.stringify({ ...fields, message }));
    const { client, clickhouse, rows } = await start({ log: { info: write, warn: write, error: write } });
    await client.command({ query: "CREATE TABLE kept (n UInt32) ENGINE = MergeTree ORDER BY n" });
    await client.insert({ table: "kept", values: [[1], [2]], format: "JSONCompactEachRow" });
    for (const restarts of [1, 2, 3]) {
      process.kill(clickhouse.pid!, "SIGKILL");
      await until(() => expect(clickhouse.restarts).toBe(restarts));
      expect(await rows("SELECT sum(n) AS total FROM kept")).toEqual([{ total: "3" }]);
    }
    expect(lines.filter((line) => line.includes('"signal":"SIGKILL"'))).toHaveLength(3);
    expect(lines.join()).not.toContain(clickhouse.password);
  });

  test.each([
    { signal: "SIGSTOP", meaning: "stopped" },
    { signal: "SIGSEGV", meaning: "hanging in chDB's crash handler" },
    { signal: "SIGABRT", meaning: "hanging in chDB's abort handler" },
  ] as const)("is replaced when $meaning", async ({ signal }) => {
    const { clickhouse, rows } = await start({ heartbeatMs: 150 });
    const hung = clickhouse.pid!;
    process.kill(hung, signal);
    await until(() => expect(clickhouse.restarts).toBe(1));
    expect(clickhouse.pid).not.toBe(hung);
    expect(await rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("does not count as hung while four long queries run", async () => {
    const { client, clickhouse } = await start({ heartbeatMs: 500 });
    const settings = { max_execution_time: 6 };
    const queries = Array.from({ length: 4 }, () =>
      client
        .query({ query: endless, clickhouse_settings: settings })
        .catch((error: { type: string }) => error.type),
    );
    expect(new Set(await Promise.all(queries))).toEqual(new Set(["TIMEOUT_EXCEEDED"]));
    expect(clickhouse.restarts).toBe(0);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ignores %s, which a terminal sends to the whole group",
    async (signal) => {
      const { clickhouse, rows } = await start();
      process.kill(clickhouse.pid!, signal);
      expect(await rows("SELECT sleep(0.2)")).toHaveLength(1);
      expect(clickhouse.restarts).toBe(0);
    },
  );
});

test.runIf(process.platform === "linux")("the engine's threads let requests go first", async () => {
  const { clickhouse, rows } = await start();
  await rows("SELECT sum(sipHash64(number)) FROM numbers_mt(1000000)");
  const threads = await readdir(`/proc/${clickhouse.pid}/task`);
  const niceOf = async (id: string) => {
    const name = (await readFile(`/proc/${clickhouse.pid}/task/${id}/comm`, "utf8")).trim();
    // With root's rights, the engine gives its own care for memory the highest priority.
    return name === "MemoryWorker" ? [] : [getPriority(Number(id))];
  };
  const nice = (await Promise.all(threads.map(niceOf))).flat();
  expect([nice.length > 10, new Set(nice)]).toEqual([true, new Set([Math.min(19, getPriority() + 10)])]);
});

describe("a data folder", () => {
  test("in use causes an error that names the holder, which keeps working", async () => {
    const { dataDir, clickhouse, rows } = await start();
    const second = startEmbeddedClickHouse({ dataDir, log: silentLog, lockWaitMs: 300 });
    await expect(second).rejects.toMatchObject({
      name: "DataFolderLockedError",
      holderPid: clickhouse.pid,
      message: expect.stringMatching(
        /^The data folder .+ is in use by another process \(pid \d+\): stop it.+$/,
      ),
    });
    expect(await rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("in use is waited for when it is released soon", async () => {
    const first = await start();
    const second = start({ dataDir: first.dataDir });
    await first.clickhouse.close();
    expect(await (await second).rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("that cannot be opened causes an error with the engine's reason in one line", async () => {
    const dataDir = await newFolder();
    await mkdir(join(dataDir, "status"));
    await expect(startEmbeddedClickHouse({ dataDir, log: silentLog })).rejects.toThrow(
      /^The embedded ClickHouse cannot open .+status.+$/,
    );
  });

  test("is free again after its parent is killed while a query runs", async () => {
    const dataDir = await newFolder();
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", parentProgram(dataDir)]);
    const [line] = await once(parent.stdout, "data");
    const orphaned: EmbeddedClickHouse = JSON.parse(String(line));
    const client = clientOf(orphaned);
    await client.command({ query: "CREATE TABLE kept (n UInt32) ENGINE = MergeTree ORDER BY n" });
    await client.insert({ table: "kept", values: [[7]], format: "JSONCompactEachRow" });
    const query = client.query({ query: endless }).catch(() => "cut off");
    parent.kill("SIGKILL");
    const next = await start({ dataDir });
    expect(await query).toBe("cut off");
    expect(await next.rows("SELECT n FROM kept")).toEqual([{ n: 7 }]);
    expect(await answers(orphaned.url)).toBe(false);
    await client.close();
  });
});

describe("close", () => {
  const begun = (rows: (query: string) => Promise<unknown[]>, text: string) =>
    until(async () => {
      const query = `SELECT 1 FROM system.processes WHERE query LIKE '${text}%'`;
      expect(await rows(query)).toHaveLength(1);
    });

  test("lets a running query finish, and nothing runs after it", async () => {
    const { clickhouse, client, rows } = await start();
    const query = client.query({ query: "SELECT 7 AS n, sleep(1)", format: "JSONCompactEachRow" });
    await begun(rows, "SELECT 7");
    const pid = clickhouse.pid!;
    const began = performance.now();
    await clickhouse.close();
    expect(performance.now() - began).toBeLessThan(3_000);
    expect(await (await query).json()).toEqual([[7, 0]]);
    expect(clickhouse.pid).toBeNull();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect(await answers(clickhouse.url)).toBe(false);
  });

  test("kills a query that still runs after five seconds", async () => {
    const { clickhouse, client, rows } = await start();
    const query = client.query({ query: endless }).catch((error: { type: string }) => error.type);
    await begun(rows, "SELECT sum(sipHash64");
    await clickhouse.close();
    expect(await query).toBe("QUERY_WAS_CANCELLED"); // a killed child would have cut the connection
  });

  test("works while a child is being replaced", async () => {
    const { clickhouse } = await start();
    process.kill(clickhouse.pid!, "SIGKILL");
    await until(() => expect(clickhouse.pid).toBeNull());
    await clickhouse.close();
    expect(await answers(clickhouse.url)).toBe(false);
  });
});

function parentProgram(dataDir: string): string {
  const module = JSON.stringify(new URL("./embedded-clickhouse.ts", import.meta.url));
  return `
    const { startEmbeddedClickHouse } = await import(${module});
    const log = { info() {}, warn() {}, error() {} };
    const { url, username, password } = await startEmbeddedClickHouse({ dataDir: ${JSON.stringify(dataDir)}, log });
    console.log(JSON.stringify({ url, username, password }));
  `;
}
