import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFile } from "../test-support/read-file.ts";
import { UnreadableFile } from "./row-reader.ts";

const MIB = 1024 * 1024;
const read = (file: string | Buffer) => {
  const { rows, faults } = readFile("json", file);
  return { rows, faults: faults.map(([line]) => line) };
};

test.each([
  {
    name: "an array",
    file: '[{"a":1},\n {"b":[2]} ]\n',
    rows: [
      [1, { a: 1 }],
      [2, { b: [2] }],
    ],
  },
  {
    name: "an array over many lines",
    file: '\n[\n{\n"a":1\n}\n,\n{}\n]',
    rows: [
      [3, { a: 1 }],
      [7, {}],
    ],
  },
  { name: "an empty array", file: " [ ] ", rows: [] },
  {
    name: "rows that are no objects",
    file: '[1,"a,]",null,[2]]',
    rows: [
      [1, 1],
      [1, "a,]"],
      [1, null],
      [1, [2]],
    ],
  },
  {
    name: "strings with brackets and escapes",
    file: '[{"a":"}]\\"\\\\"},{"b":"\\u005d"}]',
    rows: [
      [1, { a: '}]"\\' }],
      [1, { b: "]" }],
    ],
  },
  { name: "an object with events", file: '{"events":[{"a":1}]}', rows: [[1, { a: 1 }]] },
  {
    name: "events among other members",
    file: '{ "x" : [[1], "}"], "y": {"events":[9]},\n "events" :\n[ {"a":1} ] , "z": [1,{"b":"]"}] }',
    rows: [[3, { a: 1 }]],
  },
  { name: "a byte order mark", file: "\ufeff[1]", rows: [[1, 1]] },
  {
    name: "CRLF",
    file: "[\r\n1,\r\n2\r\n]\r\n",
    rows: [
      [2, 1],
      [3, 2],
    ],
  },
])("reads $name", ({ file, rows }) => {
  expect(read(file)).toEqual({ rows, faults: [] });
});

describe("a row that is no JSON is reported and skipped as long as its brackets match", () => {
  test.each([
    {
      name: "a missing value",
      file: '[1,\n{"a":},\n2]',
      rows: [
        [1, 1],
        [3, 2],
      ],
      faults: [2],
    },
    {
      name: "a bare word",
      file: "[1,\nabc,\n2]",
      rows: [
        [1, 1],
        [3, 2],
      ],
      faults: [2],
    },
    {
      name: "a comma too many",
      file: "[1,\n,2]",
      rows: [
        [1, 1],
        [2, 2],
      ],
      faults: [2],
    },
    {
      name: "a comma at the end",
      file: "[1,2,\n]",
      rows: [
        [1, 1],
        [1, 2],
      ],
      faults: [2],
    },
    {
      name: "a missing comma",
      file: "[1,\n{}\n{},2]",
      rows: [
        [1, 1],
        [3, 2],
      ],
      faults: [2],
    },
    {
      name: "brackets of two kinds",
      file: '[1,\n{"a":[1}],\n2]',
      rows: [
        [1, 1],
        [3, 2],
      ],
      faults: [2],
    },
    {
      name: "a row over 1 MiB",
      file: `[1,\n"${"x".repeat(MIB)}",\n2]`,
      rows: [
        [1, 1],
        [3, 2],
      ],
      faults: [2],
    },
  ])("$name", ({ file, rows, faults }) => {
    expect(read(file)).toEqual({ rows, faults });
  });
});

describe("where the array breaks, rows before it stand and the break is one error", () => {
  test.each([
    { name: "the file ends between rows", file: "[1,\n2\n", rows: [[1, 1]], faults: [2] },
    { name: "the file ends within a row", file: '[1,\n{"a":\n', rows: [[1, 1]], faults: [2] },
    { name: "a string is not closed", file: '[1,\n{"a":"b},\n{"c":1}]', rows: [[1, 1]], faults: [2] },
    { name: "a bracket too many", file: "[1,\n2},3]", rows: [[1, 1]], faults: [2] },
    { name: "text after the end", file: "[1]\n2", rows: [[1, 1]], faults: [2] },
    { name: "the outer object does not end", file: '{"events":[1]\n', rows: [[1, 1]], faults: [2] },
    { name: "an endless row", file: `[1,\n"${"x".repeat(MIB)}`, rows: [[1, 1]], faults: [2, 2] },
  ])("$name", ({ file, rows, faults }) => {
    expect(read(file)).toEqual({ rows, faults });
  });
});

test.each([
  "",
  " ",
  "5",
  '"text"',
  "{}",
  '{"events":5}',
  '{"events":{"a":[1]}}',
  '{"event":[1]}',
  '{"a":1}\n{"a":2}',
  "event_id,type",
  '{"a":"b\n',
])("%j cannot be read as a whole", (file) => {
  expect(() => readFile("json", file)).toThrow(UnreadableFile);
});

test("any JSON array, laid out in any way and cut anywhere, reads as JSON.parse reads it", () => {
  const input = fc.record({
    values: fc.array(fc.jsonValue()),
    indent: fc.constantFrom(0, 2, "\t"),
    isWrapped: fc.boolean(),
    cuts: fc.array(fc.nat(3_000), { maxLength: 10 }),
  });
  fc.assert(
    fc.property(input, ({ values, indent, isWrapped, cuts }) => {
      const file = JSON.stringify(isWrapped ? { note: values, events: values } : values, null, indent);
      const { rows, faults } = readFile("json", file, cuts);
      expect(faults).toEqual([]);
      expect(rows.map(([, value]) => value)).toEqual(JSON.parse(JSON.stringify(values)));
    }),
    { numRuns: 500 },
  );
});

test("an array with one character changed: nothing is thrown, and the cuts change nothing", () => {
  const file = JSON.stringify(
    [{ event_id: "e1", metadata: { a: [1, "x"] } }, { event_id: "e2" }, { event_id: "e3" }],
    null,
    1,
  );
  const changes = fc.tuple(
    fc.nat(file.length - 1),
    fc.constantFrom(...'"{}[],:\\ \n1a'),
    fc.array(fc.nat(300)),
  );
  fc.assert(
    fc.property(changes, ([index, character, cuts]) => {
      const changed = `${file.slice(0, index)}${character}${file.slice(index + 1)}`;
      if (!/^[\s]*\[/.test(changed)) return;
      const whole = readFile("json", changed);
      expect(readFile("json", changed, cuts)).toEqual(whole);
      const isIntact = whole.faults.length === 0;
      if (isIntact) expect(whole.rows.map(([, value]) => value)).toEqual(JSON.parse(changed));
    }),
    { numRuns: 1_000 },
  );
});
