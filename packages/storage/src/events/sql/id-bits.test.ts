import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryClickHouse } from "../embedded/temporary-clickhouse.ts";
import { firstBitsOf, idBits, idBitsSql, isTimeOrdered, isTimeOrderedSql, madeAt } from "./id-bits.ts";

let server: Awaited<ReturnType<typeof temporaryClickHouse>>;
beforeAll(async () => {
  server = await temporaryClickHouse();
});
afterAll(() => server.dispose());

const V7 = "019a21cc-1bf5-74f8-9813-dab9c578cad5";
const HASHED = [
  "",
  "1",
  "order-17",
  "ü🎈",
  "x".repeat(128),
  "a\0b",
  V7.toUpperCase(),
  V7.replaceAll("-", ""),
  `${V7} `,
  `{${V7.slice(0, 34)}}`,
  V7.replace("-9", "-c"),
  V7.replace("-9", "-7"),
  V7.replace("0", "g"),
  V7.replace("-", "_"),
  "00000000-0000-0000-0000-000000000000",
  "g".repeat(36),
  randomBytes(18).toString("hex"),
];
const UUIDS = [V7, "ffffffff-ffff-ffff-bfff-ffffffffffff", "00000000-0000-0000-8000-000000000000"];

test("a UUID keeps its bits, and the bits of every other id are none of a UUID's", () => {
  for (const id of UUIDS) expect([id, idBits(id).toString("hex")]).toEqual([id, id.replaceAll("-", "")]);
  for (const id of HASHED) expect([id, idBits(id)[8]]).toEqual([id, 0xff]);
  expect(new Set([...UUIDS, ...HASHED].map((id) => idBits(id).toString("hex"))).size).toBe(
    UUIDS.length + HASHED.length,
  );
  expect(idBits("order-17").toString("hex")).toBe("72a90ea3da8b5dd0ff1bde2f27314e02");
});

test("SQL and TypeScript give the same bits", async () => {
  const ids = [...UUIDS, ...HASHED, ...Array.from({ length: 200 }, () => randomUUID())];
  const rows = await server.rows<{ bits: string }>(
    `SELECT lower(hex(${idBitsSql("id")})) AS bits FROM (SELECT arrayJoin({ids: Array(String)}) AS id)`,
    { ids },
  );
  expect(rows.map(({ bits }) => bits)).toEqual(ids.map((id) => idBits(id).toString("hex")));
});

test("SQL and TypeScript call the same ids time-ordered", async () => {
  // The sixth byte of a hash is as random as the others.
  const hashed = Array.from({ length: 200 }, (_, i) => `order-${i}`);
  const ids = [...UUIDS, ...HASHED, ...hashed, randomUUID()];
  const rows = await server.rows<{ is: number }>(
    `SELECT ${isTimeOrderedSql("id")} AS is FROM (
       SELECT ${idBitsSql("text")} AS id FROM (SELECT arrayJoin({ids: Array(String)}) AS text))`,
    { ids },
  );
  expect(rows.map(({ is }) => is === 1)).toEqual(ids.map((id) => isTimeOrdered(idBits(id))));
  expect(ids.filter((id) => isTimeOrdered(idBits(id)))).toEqual([V7]);
  expect(hashed.some((id) => (idBits(id)[6]! & 0xf0) === 0x70)).toBe(true);
});

test("UUIDv7 stay in order of time", async () => {
  const at = [0, 1, 255, 256, 65_536, 2 ** 40].map(
    (ms) =>
      `${ms
        .toString(16)
        .padStart(12, "0")
        .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`,
  );
  const rows = await server.rows<{ id: string }>(
    `SELECT id FROM (SELECT arrayJoin({at: Array(String)}) AS id) ORDER BY ${idBitsSql("id")}`,
    { at: at.toReversed() },
  );
  expect(rows.map(({ id }) => id)).toEqual(at);
});

test("a UUIDv7 says when it was made", () => {
  expect(new Date(madeAt(idBits(V7))).toISOString()).toBe("2025-10-26T18:33:35.989Z");
  const all = Buffer.concat([Buffer.alloc(3, 9), idBits(V7)]);
  expect(madeAt(all, 3)).toBe(madeAt(idBits(V7)));
  const first = firstBitsOf(madeAt(idBits(V7)));
  expect(first.toString("hex")).toBe("019a21cc1bf500000000000000000000");
});
