import { afterAll, beforeAll, expect, test } from "vitest";
import { copiedIdsContract } from "../../contract-tests/copied-ids.ts";
import { clientOf, temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { engineClient } from "../engine/engine-client.ts";
import { endOfChunk } from "./copy-ids.ts";

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
let databases = 0;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

copiedIdsContract("an embedded store", async () => {
  const database = `before_${++databases}`;
  await server.client.command({ query: `CREATE DATABASE ${database}` });
  return { engine: engineClient(clientOf(server.clickhouse, { database })), cluster: null };
});

const HOUR = 3_600_000;

test.each([
  { hours: [[0, 5]], end: 1 },
  { hours: [[0, 99]], end: 1 },
  {
    hours: [
      [0, 5],
      [1, 5],
      [2, 1],
    ],
    end: 2,
  },
  {
    hours: [
      [3, 5],
      [700, 4],
      [701, 1],
      [702, 1],
    ],
    end: 702,
  },
  {
    hours: [
      [3, 11],
      [4, 1],
    ],
    end: 4,
  },
])("a chunk of ten rows of the hours $hours ends at hour $end", ({ hours, end }) => {
  const at = hours.map(([hour = 0, rows = 0]) => [hour * HOUR, rows] as const);
  expect(endOfChunk(at, 10)).toBe(end * HOUR);
});
