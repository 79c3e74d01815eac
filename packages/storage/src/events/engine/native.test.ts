import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { engineClient } from "./engine-client.ts";
import { readNative } from "./native.ts";

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

async function read(sql: string) {
  const engine = engineClient(clientOf(server.clickhouse));
  const answer = await engine.native(sql, {});
  await engine.close();
  return readNative(answer);
}

test("columns of every kind are read, block by block", async () => {
  const columns = await read(`
    SELECT number AS n, toUInt8(number % 3) AS byte, toFloat64(number) / 4 AS quarter,
      if(number % 2 = 0, NULL, toFloat64(number)) AS odd, if(number % 2 = 0, NULL, toUInt8(7)) AS seven,
      concat('é', toString(number)) AS text, CAST(number % 2 + 1 AS Enum8('one' = 1, 'two' = 2)) AS which,
      toLowCardinality(if(number % 5 = 0, '', concat('name ', toString(number % 5)))) AS name
    FROM numbers(7) SETTINGS max_block_size = 3`);
  expect(columns.rows).toBe(7);
  expect([...columns.integers("n")]).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n]);
  expect([...columns.bytes("byte")]).toEqual([0, 1, 2, 0, 1, 2, 0]);
  expect([...columns.numbers("quarter")]).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5]);
  expect([...columns.numbers("odd")]).toEqual([NaN, 1, NaN, 3, NaN, 5, NaN]);
  expect([...columns.numbers("seven")]).toEqual([NaN, 7, NaN, 7, NaN, 7, NaN]);
  expect(columns.strings("text")).toEqual(["é0", "é1", "é2", "é3", "é4", "é5", "é6"]);
  expect([...columns.bytes("which")]).toEqual([1, 2, 1, 2, 1, 2, 1]);
  const { names, codes } = columns.names("name");
  expect([...codes].map((code) => names[code])).toEqual([
    ...["", "name 1", "name 2", "name 3", "name 4", "", "name 1"],
  ]);
  expect(new Set(names).size).toBe(names.length);
});

test("more names than fit in a byte, or in two", async () => {
  const columns = await read(
    "SELECT toLowCardinality(toString(intDiv(number, 2))) AS name FROM numbers(140001)",
  );
  const { names, codes } = columns.names("name");
  expect(Array.from(codes, (code) => names[code])).toEqual(
    Array.from({ length: 140_001 }, (_, i) => String(Math.floor(i / 2))),
  );
});

test("an answer without rows has no values", async () => {
  const columns = await read("SELECT number AS n, toLowCardinality('a') AS name FROM numbers(0)");
  expect([columns.rows, [...columns.integers("n")], columns.names("name").names]).toEqual([0, [], []]);
});

test("a column of another type is refused", async () => {
  await expect(read("SELECT toInt16(1) AS n")).rejects.toThrow("A column of the type Int16 is not read.");
});
