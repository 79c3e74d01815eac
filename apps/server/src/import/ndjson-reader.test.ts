import fc from "fast-check";
import { expect, test } from "vitest";
import { readFile } from "../test-support/read-file.ts";

const MIB = 1024 * 1024;

test.each(["ndjson", "json"] as const)("%s: a row that is not UTF-8 is reported alone", (format) => {
  const file =
    format === "json" ? '[\n{"a":"x"},\n{"a":"é"},\n{"a":"y"}]' : '\n{"a":"x"}\n{"a":"é"}\n{"a":"y"}';
  const { rows, faults } = readFile(format, Buffer.from(file, "latin1"));
  expect(rows).toEqual([
    [2, { a: "x" }],
    [4, { a: "y" }],
  ]);
  expect(faults).toEqual([[3, expect.stringContaining("not UTF-8")]]);
});

test.each([
  {
    name: "one value per line",
    file: '{"a":1}\n{"b":"é"}\n',
    rows: [
      [1, { a: 1 }],
      [2, { b: "é" }],
    ],
    faults: [],
  },
  {
    name: "a last line without an end",
    file: "1\n2",
    rows: [
      [1, 1],
      [2, 2],
    ],
    faults: [],
  },
  {
    name: "CRLF and blank lines",
    file: "\r\n1\r\n \r\n\r\n2\r\n",
    rows: [
      [2, 1],
      [5, 2],
    ],
    faults: [],
  },
  { name: "a byte order mark", file: "\ufeff1\n", rows: [[1, 1]], faults: [] },
  {
    name: "lines that are no JSON",
    file: '1\n{"a":\nx\n2\n}',
    rows: [
      [1, 1],
      [4, 2],
    ],
    faults: [2, 3, 5],
  },
  { name: "two values on a line", file: "1 2\n3", rows: [[2, 3]], faults: [1] },
  {
    name: "a line over 1 MiB",
    file: `1\n"${"x".repeat(MIB)}"\n2`,
    rows: [
      [1, 1],
      [3, 2],
    ],
    faults: [2],
  },
  { name: "nothing", file: "", rows: [], faults: [] },
])("reads $name", ({ file, rows, faults }) => {
  const found = readFile("ndjson", file, [MIB + 10]);
  expect({ rows: found.rows, faults: found.faults.map(([line]) => line) }).toEqual({ rows, faults });
});

test("a line of many MiB is reported once and not kept", () => {
  const file = `1\n${"x".repeat(5 * MIB)}\n2\n`;
  const cuts = Array.from({ length: 40 }, (_, index) => index * 100_000);
  expect(readFile("ndjson", file, cuts)).toEqual({
    rows: [
      [1, 1],
      [3, 2],
    ],
    faults: [[2, "The row is longer than 1 MiB."]],
    unknownColumns: null,
  });
});

test("any lines, cut anywhere: each is a row or an error", () => {
  const line = fc.oneof(fc.json(), fc.string(), fc.constant(""));
  const input = fc.tuple(fc.array(line.map((text) => text.replaceAll("\n", " "))), fc.array(fc.nat(2_000)));
  fc.assert(
    fc.property(input, ([lines, cuts]) => {
      const file = lines.join("\n");
      const { rows, faults } = readFile("ndjson", file, cuts);
      const full = lines.filter((text) => text.trim().replace(/^\ufeff/, "") !== "");
      expect(rows.length + faults.length).toBe(full.length);
      expect(readFile("ndjson", file)).toEqual({ rows, faults, unknownColumns: null });
    }),
    { numRuns: 500 },
  );
});
