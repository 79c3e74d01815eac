import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSmallBatch } from "./read-small-batch.ts";
import { MOST_ROWS, parsePart, splitBatch } from "./split-batch.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readSmallBatch(bytes(text));

/** The rows as `splitBatch` has them; null when it refuses the body, the rows' number, or one of them. */
function readInParts(text: string): readonly unknown[] | null {
  const json = bytes(text);
  try {
    const { rows, others } = splitBatch(json);
    const isTaken = rows !== null && rows.length > 0 && rows.length <= MOST_ROWS;
    if (!isTaken || rows.some(({ excess }) => excess !== null) || others.size > 0) return null;
    return rows.map((part) => parsePart(json, part));
  } catch {
    return null;
  }
}

const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const name = fc.constantFrom("event_id", "user_id", "value", "payload");
const flat = fc.dictionary(name, scalar);
const row = fc.record({ user_id: fc.string(), metadata: flat, value: scalar }, { requiredKeys: [] });
const rows = fc.array(row, { minLength: 1, maxLength: 20 });
const odd = fc.array(fc.oneof(row, fc.jsonValue({ maxDepth: 3 })), { maxLength: 20 });

describe("rows are read as from a body that is measured first", () => {
  test("of a list, and of a list with its name", () => {
    fc.assert(
      fc.property(rows, fc.boolean(), (list, isNamed) => {
        const text = JSON.stringify(isNamed ? { events: list } : list);
        const hasBrackets = list.some((one) =>
          /[[{]/.test(JSON.stringify({ ...one, metadata: 0 }).slice(1) + Object.entries(one.metadata ?? {})),
        );
        expect(read(text)).toEqual(hasBrackets ? null : (JSON.parse(text).events ?? JSON.parse(text)));
      }),
    );
  });

  test("of anything, or not at all", () => {
    fc.assert(
      fc.property(odd, (list) => {
        const text = JSON.stringify({ events: list });
        const found = read(text);
        if (found !== null) expect(found).toEqual(readInParts(text));
      }),
    );
  });

  test("of a damaged body, or not at all", () => {
    const put = fc.constantFrom("", ",", "]", "}", "[", "{", '"', "1", " ", ":", "\\", "\n", '"events":[1]');
    fc.assert(
      fc.property(odd, fc.nat(), fc.nat({ max: 3 }), put, (list, at, cut, piece) => {
        const text = JSON.stringify({ events: list });
        const from = at % (text.length + 1);
        const damaged = text.slice(0, from) + piece + text.slice(from + cut);
        const found = read(damaged);
        if (found !== null) expect(found).toEqual(readInParts(damaged));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a body is left to be measured first", () => {
  test.each([
    "",
    "1",
    "[]",
    '{"events":[]}',
    '{"events":{}}',
    '{"events":1}',
    '{"events":[{}],"client":{}}',
    '{"events":[{}],"events":[{}]}',
    '{"events":[{}]}}',
    '{"events":[{}]',
    '{"events":[{}]]',
    ' {"events":[{}]}',
    '{"events":[{}]} ',
    '{ "events":[{}]}',
    '{"event":[{}]}',
    "[{}",
    "[{}]x",
    "\ufeff[{}]",
  ])("%j", (text) => expect(read(text)).toBeNull());

  const many = (rows: number) => `[${"{},".repeat(rows - 1)}{}]`;
  const long = (length: number) => `[{"a":"${"x".repeat(length - 10)}"}]`;
  const full = (values: number) => `[{${'"":1,'.repeat(values - 1)}"":1}]`;
  test.each([
    { what: "rows", most: many(1_000), tooMuch: many(1_001) },
    {
      what: "rows with metadata",
      most: many(1_000).replaceAll("{}", '{"metadata":{}}'),
      tooMuch: `[${'{"metadata":{}},'.repeat(1_000)}{}]`,
    },
    { what: "bytes", most: long(256 * 1024), tooMuch: long(256 * 1024 + 1) },
    { what: "values in more than 48 KiB", most: full(9_999), tooMuch: full(10_000) },
  ])("with too many $what", ({ most, tooMuch }) => {
    expect(read(most)).toEqual(JSON.parse(most));
    expect(read(tooMuch)).toBeNull();
  });

  test.each([
    { what: "a row that is a list", text: "[[]]" },
    { what: "a row that is no object", text: "[{},1]" },
    { what: "metadata that is a list", text: '[{"metadata":[]}]' },
    { what: "a list beside metadata", text: '[{"metadata":{},"value":[]}]' },
    { what: "an object in metadata", text: '[{"metadata":{"a":{}}}]' },
    { what: "a list that is no longer there once it is parsed", text: '[{"value":[],"value":1}]' },
    { what: "a bracket in a text", text: '[{"user_id":"{"}]' },
  ])("with $what", ({ text }) => {
    expect(read(text)).toBeNull();
    expect(readInParts(text)).toEqual(JSON.parse(text));
  });

  test("since it could exceed what a row may have", () => {
    const most = `[{${'"":1,'.repeat(9_826)}"":1}]`;
    expect(most.length).toBeLessThan(48 * 1024);
    expect(read(most)).toEqual([{ "": 1 }]);
    expect(readInParts(most)).toEqual([{ "": 1 }]);
  });
});
