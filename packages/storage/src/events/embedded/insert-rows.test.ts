import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requireSafeRows } from "./insert-rows.ts";
import { Refusal } from "./refusal.ts";

const objects = "INSERT INTO assay.events (a, b) FORMAT JSONEachRow";
const arrays = "INSERT INTO events FORMAT JSONCompactEachRow";

describe("requireSafeRows", () => {
  test("accepts every row written by JSON.stringify, with and without a final newline", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.jsonValue()), { minLength: 1 }), fc.boolean(), (rows, lastNewline) => {
        const text = rows.map((row) => JSON.stringify(row)).join("\n") + (lastNewline ? "\n" : "");
        requireSafeRows(arrays, Buffer.from(text));
      }),
    );
  });

  test.each([
    { name: "a blank line and SQL", sql: objects, rows: '{"a":1}\n\nDROP TABLE events;' },
    { name: "a blank line between rows", sql: objects, rows: '{"a":1}\n\n{"a":2}' },
    { name: "a blank line inside a string", sql: objects, rows: '{"a":"x\n\ny"}' },
    { name: "two newlines at the end", sql: objects, rows: '{"a":1}\n\n' },
    { name: "a leading newline", sql: objects, rows: '\n{"a":1}' },
    { name: "a line of spaces", sql: objects, rows: '{"a":1}\n \n{"a":2}' },
    { name: "carriage returns", sql: objects, rows: '{"a":1}\r\n\r\nDROP TABLE events' },
    { name: "SQL on the next line", sql: objects, rows: '{"a":1}\nDROP TABLE events' },
    { name: "a row over several lines", sql: arrays, rows: "[1,\n2]" },
    { name: "objects for arrays", sql: arrays, rows: '{"a":1}' },
    { name: "arrays for objects", sql: objects, rows: "[1]" },
    { name: "CSV", sql: "INSERT INTO events FORMAT CSV", rows: "1,2" },
    { name: "a binary format", sql: "INSERT INTO events FORMAT RowBinary", rows: "[]" },
    { name: "data after VALUES", sql: "INSERT INTO events VALUES", rows: "(1)" },
    { name: "data after a SELECT", sql: "SELECT 1", rows: "[1]" },
    { name: "rows inside the statement", sql: `${objects} {"a":1}`, rows: '{"a":2}' },
    { name: "a second statement", sql: `DROP TABLE events; ${objects}`, rows: '{"a":2}' },
  ])("refuses $name", ({ sql, rows }) => {
    expect(() => requireSafeRows(sql, Buffer.from(rows))).toThrow(Refusal);
  });
});
