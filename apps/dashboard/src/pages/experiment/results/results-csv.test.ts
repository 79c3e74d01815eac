import { expect, test } from "vitest";
import type { Results } from "../../../api/types.ts";
import { csvCell, resultsCsv } from "./results-csv.ts";

test.each([
  { value: null, cell: "" },
  { value: -0.18, cell: "-0.18" },
  { value: 1e-300, cell: "1e-300" },
  { value: true, cell: "true" },
  { value: 'a "quoted", text', cell: '"a ""quoted"", text"' },
  { value: "=HYPERLINK(1)", cell: '"\'=HYPERLINK(1)"' },
  { value: "+1", cell: '"\'+1"' },
  { value: "-1", cell: '"\'-1"' },
  { value: "@SUM(A1)", cell: '"\'@SUM(A1)"' },
  { value: "\t=1", cell: '"\'\t=1"' },
  { value: "\r=1", cell: '"\'\r=1"' },
])("csvCell writes $value as $cell", ({ value, cell }) => {
  expect(csvCell(value)).toBe(cell);
});

test("resultsCsv writes a line per comparison beneath the names of the columns", () => {
  const row = {
    metric: "cost",
    treatment: "=cmd",
    control: "base",
    effect: -0.1,
    n_per_arm: { base: 10, "=cmd": 11 },
    events_per_arm: { base: 20, "=cmd": 21 },
  };
  const run = { computed_for: "2026-11-20", results: { "cost::=cmd": row } } as unknown as Results;
  const [head, line, end] = resultsCsv(run).split("\r\n");
  expect(head).toMatch(/^"run","n_control","n_treatment","events_control","events_treatment","metric"/);
  expect(line).toMatch(/^"2026-11-20",10,11,20,21,"cost",/);
  expect(line).toContain(`"'=cmd"`);
  expect(end).toBe("");
});
