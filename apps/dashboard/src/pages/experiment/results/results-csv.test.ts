import { expect, test } from "vitest";
import type { Results } from "../../../api/types.ts";
import { toCsv } from "../../../ui/download.ts";
import { resultsCsv } from "./results-csv.ts";

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
])("toCsv writes $value as $cell", ({ value, cell }) => {
  expect(toCsv([[value]])).toBe(`${cell}\r\n`);
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

test("resultsCsv writes what a row says of its margin and its judge, and nothing where it says nothing", () => {
  const row = {
    metric: "passes",
    treatment: "b",
    control: "a",
    n_per_arm: {},
    events_per_arm: {},
    non_inferiority: { margin: 0.02, worst_loss: -0.001, is_not_worse: true, is_not_worse_seq: false },
    judge: {
      version: "m@0123",
      calibrated: true,
      judged_per_arm: { a: 210, b: 211 },
      labels_per_arm: { a: 60, b: 61 },
      lambda: { a: 0.8, b: 0.7 },
      retest_sd: null,
      uncalibrated: { effect: 0.05, ci_low: 0.01, ci_high: 0.09, p_value: 0.02 },
    },
  };
  const judged = { computed_for: "2026-11-20", results: { "passes::b": row } } as unknown as Results;
  const [head = "", line = ""] = resultsCsv(judged).split("\r\n");
  const cells = (names: string) => {
    const columns = head.split(",");
    return names.split(" ").map((name) => line.split(",")[columns.indexOf(`"${name}"`)]);
  };
  expect(cells("margin worst_loss is_not_worse is_not_worse_seq")).toEqual([
    "0.02",
    "-0.001",
    "true",
    "false",
  ]);
  expect(
    cells("judge_version judge_calibrated judged_control labels_treatment lambda_control retest_sd"),
  ).toEqual(['"m@0123"', "true", "210", "61", "0.8", ""]);
  expect(cells("judge_alone_effect judge_alone_ci_low judge_alone_ci_high judge_alone_p_value")).toEqual([
    "0.05",
    "0.01",
    "0.09",
    "0.02",
  ]);
  const bare = { ...row, judge: null, non_inferiority: null };
  const plain = { computed_for: "2026-11-20", results: { "passes::b": bare } } as unknown as Results;
  expect(resultsCsv(plain)).toMatch(/,{16}\r\n$/);
});
