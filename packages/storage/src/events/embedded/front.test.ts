import { gzipSync } from "node:zlib";
import type { ClickHouseSettings } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import { clientOf, temporaryClickHouse } from "./temporary-clickhouse.ts";

let engine: Awaited<ReturnType<typeof temporaryClickHouse>>;

beforeAll(async () => {
  engine = await temporaryClickHouse();
  await engine.client.command({
    query: "CREATE TABLE notes (id UInt32, text String) ENGINE = MergeTree ORDER BY id",
  });
});
afterAll(() => engine.dispose());

/** A request as no client would send it. */
function raw(query: Record<string, string>, init: RequestInit = {}) {
  const authorization = `Basic ${btoa(`${engine.clickhouse.username}:${engine.clickhouse.password}`)}`;
  return fetch(`${engine.clickhouse.url}/?${new URLSearchParams(query)}`, {
    ...init,
    headers: { authorization, ...init.headers },
  });
}

const endless = "SELECT sum(sipHash64(number)) FROM numbers(1000000000000)";

describe("queries", () => {
  test("return rows, with 64-bit integers as strings so that no digit is lost", async () => {
    expect(await engine.rows("SELECT 1 AS small, toInt64(9007199254740993) AS large")).toEqual([
      { small: 1, large: "9007199254740993" },
    ]);
  });

  test.each([
    { type: "String", value: "it's \\ \n\t\u0000 '); DROP TABLE notes; -- ü😀" },
    { type: "Array(String)", value: ["a'b", "c\\d", "e\nf\n\ng", "{x:String}", ""] },
    { type: "Nullable(String)", value: null },
    { type: "Map(String, String)", value: { "k'1": "v\\" } },
  ])("read a $type parameter exactly", async ({ type, value }) => {
    expect(await engine.rows(`SELECT {value: ${type}} AS value`, { value })).toEqual([{ value }]);
  });

  test("keep the milliseconds of a Date parameter", async () => {
    const at = new Date("2026-03-01T12:34:56.789Z");
    expect(await engine.rows("SELECT {at: DateTime64(3, 'UTC')} AS at", { at })).toEqual([
      { at: "2026-03-01 12:34:56.789" },
    ]);
  });

  test.each([false, true])("take 5,000 strings in one parameter (multipart: %s)", async (multipart) => {
    const ids = Array.from({ length: 5_000 }, (_, index) => `user-${index}-${"x".repeat(40)}`);
    const result = await engine.client.query({
      query: "SELECT length({ids: Array(String)}) AS size, {ids: Array(String)}[-1] AS last",
      query_params: { ids },
      use_multipart_params: multipart,
      format: "JSONEachRow",
    });
    expect(await result.json()).toEqual([{ size: "5000", last: ids.at(-1) }]);
  });

  test("answer a GET with its id and the format", async () => {
    const response = await raw({ query: "SELECT 1 FORMAT CSV", query_id: "q-1" });
    expect(await response.text()).toBe("1\n");
    expect(response.headers.get("x-clickhouse-query-id")).toBe("q-1");
    expect(response.headers.get("x-clickhouse-format")).toBe("CSV");
    expect(JSON.parse(response.headers.get("x-clickhouse-summary")!)).toMatchObject({ read_rows: "1" });
  });

  test("run in the database that the client names", async () => {
    await engine.client.command({ query: "CREATE DATABASE other" });
    const client = clientOf(engine.clickhouse, { database: "other" });
    const result = await client.query({ query: "SELECT currentDatabase() AS name", format: "JSONEachRow" });
    expect(await result.json()).toEqual([{ name: "other" }]);
    await client.close();
  });

  test("do not share settings or parameters, even when they run in parallel", async () => {
    const probe = async (blockSize: number) => {
      const result = await engine.client.query({
        query: "SELECT toUInt32(getSetting('max_block_size')) AS size, {own: UInt32} AS own",
        query_params: { own: blockSize },
        clickhouse_settings: { max_block_size: String(blockSize) },
        format: "JSONEachRow",
      });
      return result.json();
    };
    const sizes = Array.from({ length: 40 }, (_, index) => 1_000 + index);
    expect(await Promise.all(sizes.map(probe))).toEqual(sizes.map((size) => [{ size, own: size }]));
    expect(await engine.rows("SELECT getSetting('max_block_size') > 10000 AS restored")).toEqual([
      { restored: 1 },
    ]);
    await expect(engine.rows("SELECT {own: UInt32}")).rejects.toMatchObject({
      type: "UNKNOWN_QUERY_PARAMETER",
    });
  });
});

describe("compression", () => {
  test("works in both directions", async () => {
    const client = clientOf(engine.clickhouse, { compression: { request: true, response: true } });
    const text = "compressible ".repeat(1_000);
    await client.insert({ table: "notes", values: [[500, text]], format: "JSONCompactEachRow" });
    const result = await client.query({
      query: "SELECT text FROM notes WHERE id = 500",
      format: "JSONEachRow",
    });
    expect(result.response_headers["content-encoding"]).toBe("gzip");
    expect(await result.json()).toEqual([{ text }]);
    await client.close();
  });

  test("is refused when the decompressed body is too large", async () => {
    const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
    const response = await raw({}, { method: "POST", body: bomb, headers: { "content-encoding": "gzip" } });
    expect(response.status).toBe(413);
  });
});

describe("errors", () => {
  test.each([
    { query: "SELECT * FROM absent", code: "60", type: "UNKNOWN_TABLE" },
    { query: "SELECT FROM WHERE", code: "62", type: "SYNTAX_ERROR" },
    { query: "SELECT 1; SELECT 2", code: "62", type: "SYNTAX_ERROR" },
    { query: "DROP TABLE notes; nonsense(", code: "62", type: "SYNTAX_ERROR" },
    { query: "", code: "62", type: "SYNTAX_ERROR" },
  ])("reach the client as ClickHouseError $code for '$query'", async ({ query, code, type }) => {
    await expect(engine.client.command({ query })).rejects.toMatchObject({ code, type });
    expect(await engine.rows("EXISTS TABLE notes")).toEqual([{ result: 1 }]);
  });

  test("name an unknown setting", async () => {
    const response = await raw({ query: "SELECT 1", no_such_setting: "1" });
    expect(response.headers.get("x-clickhouse-exception-code")).toBe("115");
    expect(await response.text()).toMatch(/^Code: 115\. DB::Exception: .*\(UNKNOWN_SETTING\)/);
  });

  test.each(["a b", "a='1'; DROP TABLE notes; SET b", "param_a b"])(
    "refuse the setting name '%s'",
    async (name) => {
      expect((await raw({ query: "SELECT 1", [name]: "1" })).status).toBe(400);
    },
  );

  test.each([
    { name: "a wrong password", headers: { authorization: `Basic ${btoa("assay:wrong")}` } },
    { name: "no credentials", headers: {} },
    { name: "a wrong key", headers: { "x-clickhouse-user": "assay", "x-clickhouse-key": "wrong" } },
  ])("answer 403 to $name", async ({ headers }) => {
    const response = await fetch(`${engine.clickhouse.url}/?query=SELECT+1`, { headers });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("AUTHENTICATION_FAILED");
  });

  test("accept the credentials as X-ClickHouse headers", async () => {
    const { url, username, password } = engine.clickhouse;
    const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password };
    expect((await fetch(`${url}/?query=SELECT+1`, { headers })).status).toBe(200);
  });
});

describe("inserts", () => {
  test("store hostile strings exactly", async () => {
    const texts = [
      "a\nb",
      "a\n\nDROP TABLE notes;",
      "'); DROP TABLE notes; --",
      '"',
      "\\",
      "\u0000x\u0000",
      "\t\r\b\f😀\u2028",
    ];
    const values = texts.map((text, id) => ({ id: 1_000 + id, text }));
    const { summary } = await engine.client.insert({ table: "notes", values, format: "JSONEachRow" });
    expect(summary?.written_rows).toBe(String(values.length));
    expect(await engine.rows("SELECT * FROM notes WHERE id >= 1000 AND id < 2000 ORDER BY id")).toEqual(
      values,
    );
  });

  test("keep a batch with a lone surrogate if throwing on it is disabled", async () => {
    const insert = (settings: ClickHouseSettings) =>
      engine.client.insert({
        table: "notes",
        values: ["\ud800", "neighbour"].map((text, n) => [2_000 + n, text]),
        format: "JSONCompactEachRow",
        clickhouse_settings: settings,
      });
    await expect(insert({})).rejects.toMatchObject({ type: "CANNOT_PARSE_ESCAPE_SEQUENCE" });
    await insert({ input_format_json_throw_on_bad_escape_sequence: 0 });
    expect(await engine.rows("SELECT text FROM notes WHERE id >= 2000 ORDER BY id")).toEqual([
      { text: "\\ud800" },
      { text: "neighbour" },
    ]);
  });

  test("refuse data in which a blank line would begin a statement", async () => {
    const body = '{"id":3000,"text":"x"}\n\nDROP TABLE notes;';
    const response = await raw({ query: "INSERT INTO notes FORMAT JSONEachRow" }, { method: "POST", body });
    expect(response.status).toBe(400);
    const inline = await raw({}, { method: "POST", body: `INSERT INTO notes FORMAT JSONEachRow ${body}` });
    expect(inline.status).toBe(400);
    expect(await engine.rows("EXISTS TABLE notes")).toEqual([{ result: 1 }]);
    expect(await engine.rows("SELECT count() AS stored FROM notes WHERE id = 3000")).toEqual([
      { stored: "0" },
    ]);
  });

  test("store a batch once that is sent twice, although it feeds a materialized view twice", async () => {
    const engineClause =
      "ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(at) ORDER BY (user, id)";
    const columns = `id UUID, user String, kind Enum8('exposure' = 1, 'outcome' = 2), arm LowCardinality(String),
      at DateTime64(3, 'UTC') CODEC(Delta, LZ4), received_at DateTime64(3, 'UTC'), value Nullable(Float64),
      prompt String CODEC(ZSTD(3))`;
    await engine.client.command({
      query: `CREATE TABLE stored (${columns}) ${engineClause}
        SETTINGS old_parts_lifetime = 60, fsync_after_insert = 1, fsync_part_directory = 1`,
    });
    await engine.client.command({
      query: "CREATE TABLE thin (user String, at DateTime64(3, 'UTC')) ENGINE = MergeTree ORDER BY user",
    });
    await engine.client.command({
      query: "CREATE MATERIALIZED VIEW feed TO thin AS SELECT user, at FROM stored WHERE kind = 'exposure'",
    });
    const values = Array.from({ length: 5_000 }, (_, n) => {
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
      return [
        id,
        `user-${n % 100}`,
        n % 2 ? "outcome" : "exposure",
        "control",
        1_790_000_000_000 + n,
        1_790_000_000_000,
        n % 2 ? n / 7 : null,
        "p\n\n",
      ];
    });
    const insert = () => engine.client.insert({ table: "stored", values, format: "JSONCompactEachRow" });
    await insert();
    await insert();
    expect(
      await engine.rows("SELECT count() AS stored, countIf(value IS NULL) AS empty FROM stored FINAL"),
    ).toEqual([{ stored: "5000", empty: "2500" }]);
    expect(await engine.rows("SELECT count() AS fed FROM thin")).toEqual([{ fed: "5000" }]);
  });
});

describe("limits", () => {
  test("let four queries run at once while the rest wait for their turn", async () => {
    const began = performance.now();
    const slow = Array.from({ length: 8 }, () => engine.rows("SELECT sleep(0.4)"));
    const small = engine.rows<{ one: number }>("SELECT 1 AS one");
    expect(await small).toEqual([{ one: 1 }]);
    expect(performance.now() - began).toBeGreaterThan(700); // behind two rounds of four
    await Promise.all(slow);
  });

  test("run long queries with parameters in parallel", async () => {
    const began = performance.now();
    await Promise.all([1, 2, 3, 4].map((n) => engine.rows("SELECT {n: UInt8}, sleep(0.5)", { n })));
    expect(performance.now() - began).toBeLessThan(1_500); // in sequence they take 2,000
  });

  test("end a query at max_execution_time, which cannot be switched off", async () => {
    const query = {
      query: endless,
      format: "JSONEachRow",
      clickhouse_settings: { max_execution_time: 1 },
    } as const;
    await expect(engine.client.query(query)).rejects.toMatchObject({ code: "159", type: "TIMEOUT_EXCEEDED" });
    const response = await raw({ query: "SELECT getSetting('max_execution_time')", max_execution_time: "0" });
    expect(await response.text()).toBe("300\n");
  });

  test("kill the queries of a client that disconnects", async () => {
    const running = () =>
      engine.rows<{ n: string }>(
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%sipHash64(number)) FROM%' AND query NOT LIKE '%processes%'",
      );
    const away = new AbortController();
    const queries = Array.from({ length: 3 }, () =>
      engine.client.query({ query: endless, abort_signal: away.signal }).catch(() => "aborted"),
    );
    await vi.waitFor(async () => expect(await running()).toEqual([{ n: "3" }]), 5_000);
    away.abort();
    expect(await Promise.all(queries)).toEqual(["aborted", "aborted", "aborted"]);
    await vi.waitFor(async () => expect(await running()).toEqual([{ n: "0" }]), 5_000);
  });

  test("keep memory low when many small queries run during a long one", async () => {
    const away = new AbortController();
    const long = engine.client.query({ query: endless, abort_signal: away.signal }).catch(() => "aborted");
    for (let round = 0; round < inNight(100, 300); round++)
      await Promise.all([1, 2, 3].map((n) => engine.rows("SELECT {n: UInt8}", { n })));
    const [memory] = await engine.rows<{ tracked: string }>(
      "SELECT toString(value) AS tracked FROM system.metrics WHERE metric = 'MemoryTracking'",
    );
    expect(Number(memory?.tracked)).toBeLessThan(300_000_000); // sessions closed late took 2 MB each
    away.abort();
    expect(await long).toBe("aborted");
  });
});
