import { describe, expect, test } from "vitest";
import { IMPORT_COLUMNS, type ImportColumns, parseImportHeader, readImportRow } from "./import-rows.ts";

const required = ["event_id", "type", "experiment_id", "user_id", "timestamp"];

function columnsOf(names: readonly string[]): ImportColumns {
  const columns = parseImportHeader(names);
  if (typeof columns === "string") throw new Error(columns);
  return columns;
}

describe("parseImportHeader", () => {
  test.each([
    { names: ["event_id", "type"], fault: "The header lacks experiment_id, user_id, timestamp." },
    { names: [""], fault: "The header lacks event_id, type, experiment_id, user_id, timestamp." },
    ...[";", "\t"].map((separator) => ({
      names: [required.join(separator)],
      fault:
        "The header lacks event_id, type, experiment_id, user_id, timestamp. Separate cells by commas, not by semicolons or tabs.",
    })),
    { names: [...required, "value", "value"], fault: "The header names the column value twice." },
    { names: [...required, "mine", "mine"], fault: "The header names the column mine twice." },
  ])("refuses $names", ({ names, fault }) => {
    expect(parseImportHeader(names)).toBe(fault);
  });

  test("takes the columns in any order, with blanks around their names", () => {
    const columns = columnsOf([" timestamp", "user_id ", "type", "event_id", "experiment_id"]);
    expect(readImportRow(["5", "u", "exposure", "e", "x"], columns)).toEqual({
      timestamp: 5,
      user_id: "u",
      type: "exposure",
      event_id: "e",
      experiment_id: "x",
    });
  });

  test("lists columns that are not fields, and ignores columns without a name", () => {
    const columns = columnsOf([...required, "latency", "", "", "__proto__"]);
    expect(columns.unknown).toEqual(["latency", "__proto__"]);
    expect(columns.count).toBe(9);
    const row = readImportRow(["e", "t", "x", "u", "1", "9", "a", "b", "c"], columns);
    expect(Object.keys(row)).toEqual(required);
  });

  test("knows every column that it lists", () => {
    expect(columnsOf(IMPORT_COLUMNS).unknown).toEqual([]);
  });
});

test.each([
  { name: "value", cell: "12.5", value: 12.5 },
  { name: "value", cell: "-1e3", value: -1000 },
  { name: "value", cell: "+.5", value: 0.5 },
  { name: "value", cell: "7.", value: 7 },
  { name: "value", cell: "abc", value: "abc" },
  { name: "value", cell: " 7", value: " 7" },
  { name: "value", cell: "0x10", value: "0x10" },
  { name: "value", cell: "1e", value: "1e" },
  { name: "value", cell: "Infinity", value: "Infinity" },
  { name: "error", cell: "TRUE", value: true },
  { name: "error", cell: "1", value: true },
  { name: "error", cell: "False", value: false },
  { name: "error", cell: "0", value: false },
  { name: "error", cell: "yes", value: "yes" },
  { name: "timestamp", cell: "1763722800000", value: 1_763_722_800_000 },
  { name: "timestamp", cell: "2026-11-21T11:00:00Z", value: "2026-11-21T11:00:00Z" },
  { name: "timestamp", cell: "-1", value: "-1" },
  { name: "user_id", cell: "00123", value: "00123" },
  { name: "user_id", cell: "1e3", value: "1e3" },
  { name: "variant", cell: "true", value: "true" },
  { name: "metadata", cell: '{"a":[1]}', value: { a: [1] } },
  { name: "payload", cell: '{"value":2}', value: { value: 2 } },
  { name: "variables", cell: "{}", value: {} },
  { name: "prompt", cell: "a\nb", value: "a\nb" },
])("a cell of $name, $cell, becomes $value", ({ name, cell, value }) => {
  expect(readImportRow([cell], onlyColumn(name))).toEqual({
    [name]: value,
  });
});

// If the work grew with the square of the size, this would not end within the test's time.
test("a cell of a million digits that is not a number stays text", () => {
  const cell = `${"1".repeat(1024 * 1024)}x`;
  expect(readImportRow([cell], onlyColumn("value"))).toEqual({ value: cell });
});

test.each(["{", "5", "null", "[1]", '"text"', "nul", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`])(
  "a metadata cell of %s is refused by its name",
  (cell) => {
    expect(readImportRow([cell], onlyColumn("metadata"))).toBe(
      "metadata must be a JSON object of at most 100 levels and 10,000 values.",
    );
  },
);

test("an empty cell is an absent field, whatever its type", () => {
  const columns = columnsOf(IMPORT_COLUMNS);
  expect(
    readImportRow(
      IMPORT_COLUMNS.map(() => ""),
      columns,
    ),
  ).toEqual({});
  expect(readImportRow([], columns)).toEqual({});
});

/** The columns of a file that has only this one. */
function onlyColumn(name: string): ImportColumns {
  const field = columnsOf(IMPORT_COLUMNS).fields.find((one) => one.name === name);
  if (!field) throw new Error(`There is no column ${name}.`);
  return { count: 1, fields: [{ ...field, index: 0 }], unknown: [] };
}
