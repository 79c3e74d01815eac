import { type JsonPart, splitBatch } from "@assay/domain";
import { afterEach, describe, expect, test, vi } from "vitest";
import { readAccepted, readRows, UnreadRow, withoutUnread } from "./read-rows.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const partsOf = (body: Buffer): readonly JsonPart[] => splitBatch(body).rows!;

/** Reads a body while each look at the clock finds `step` ms more; what was read, and how often others had their turn. */
async function read(body: Buffer, step: number, parts = partsOf(body)) {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => {
    now += step;
    return now;
  });
  let turns = 0;
  let isDone = false;
  const tick = () => {
    turns += 1;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  const rows = await readRows(body, parts);
  isDone = true;
  return { rows, turns };
}

const TOO_DEEP = `${"[".repeat(101)}${"]".repeat(101)}`;

describe("a small body is read in one piece, without a turn for others", () => {
  const bodyOf = (rows: readonly string[]) => Buffer.from(`[${rows.join(",")}]`);

  test("up to 256 KiB", async () => {
    const sized = (bytes: number) => Buffer.from(`["${"a".repeat(bytes - 6)}",0]`);
    expect(sized(262_144)).toHaveLength(262_144);
    expect(await read(sized(262_144), 4)).toEqual({ rows: ["a".repeat(262_138), 0], turns: 0 });
    expect(await read(sized(262_145), 4)).toEqual({ rows: ["a".repeat(262_139), 0], turns: 2 });
  });

  test("up to 20,000 values", async () => {
    const row = (values: number) => `[${Array(values).fill(0).join(",")}]`;
    const [small, large] = [
      bodyOf(Array(10).fill(row(2_000))),
      bodyOf([row(2_001), ...Array(9).fill(row(2_000))]),
    ];
    expect((await read(small, 4)).turns).toBe(0);
    expect((await read(large, 4)).turns).toBe(10);
    expect((await read(large, 4)).rows).toEqual(JSON.parse(String(large)));
  });

  test("as a list and under a name", async () => {
    const rows = [{ a: 1 }, "b", null];
    expect((await read(Buffer.from(JSON.stringify(rows)), 4)).rows).toEqual(rows);
    const named = Buffer.from(JSON.stringify({ client: {}, events: rows }));
    expect((await read(named, 4)).rows).toEqual(rows);
  });

  test("not when one of its rows takes too much work: the others are read", async () => {
    const { rows, turns } = await read(bodyOf(["1", TOO_DEEP, "2"]), 4);
    expect(rows).toEqual([1, expect.any(UnreadRow), 2]);
    expect((rows[1] as UnreadRow).detail).toBe("The row has more than 100 levels: nest less.");
    expect(turns).toBe(3);
  });

  test("throws for invalid JSON", async () => {
    const body = Buffer.from("[1,nonsense]");
    await expect(readRows(body, partsOf(body))).rejects.toThrow(SyntaxError);
    const withUnread = bodyOf(["nonsense", TOO_DEEP]);
    await expect(readRows(withUnread, partsOf(withUnread))).rejects.toThrow(SyntaxError);
  });
});

describe("a large body lets others have their turn", () => {
  const rows = Array.from({ length: 8 }, (_, n) => `${n}${"a".repeat(40_000)}`);
  const body = Buffer.from(JSON.stringify(rows));

  test.each([
    // From 4 ms on, each row ends a turn; with less it takes two rows, and a new turn begins at 0.
    { step: 4, turns: 8 },
    { step: 3.9, turns: 4 },
    { step: 2, turns: 4 },
    { step: 1.9, turns: 2 },
    { step: 0, turns: 0 },
  ])("$turns turns when a row takes $step ms", async ({ step, turns }) => {
    expect(await read(body, step)).toEqual({ rows, turns });
  });
});

test.each([
  { rows: [TOO_DEEP], kept: "[null]" },
  { rows: [TOO_DEEP, "1", TOO_DEEP, TOO_DEEP, '"é"'], kept: '[null, 1,null,null, "é"]' },
])("kept of a batch whose rows were not all read: $kept", ({ rows, kept }) => {
  const body = Buffer.from(`[${rows.join(", ")}]`);
  expect(String(withoutUnread(body, partsOf(body)))).toBe(kept);
});

test("a batch whose rows were all read is kept without a copy", () => {
  const body = Buffer.from("[1, 2]");
  expect(withoutUnread(body, partsOf(body))).toBe(body);
});

test.each([
  {
    of: "a small batch",
    body: '{"events":[{"a":1},{"metadata":{"b":2}}]}',
    rows: [{ a: 1 }, { metadata: { b: 2 } }],
  },
  { of: "one with nested values", body: '[{"a":[[1]]}]', rows: [{ a: [[1]] }] },
  { of: "one with another member", body: '{"client":{},"events":[{"a":1}]}', rows: [{ a: 1 }] },
])("the rows of what was accepted are read: $of", async ({ body, rows }) => {
  expect(await readAccepted(Buffer.from(body))).toEqual(rows);
});
