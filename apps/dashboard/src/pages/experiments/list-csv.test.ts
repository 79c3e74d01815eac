import { expect, test } from "vitest";
import { listCsv } from "./list-csv.ts";
import { overviewOf } from "./overview-fixture.ts";

test("the list has a line per experiment, and no text that a spreadsheet would run", () => {
  const items = [overviewOf({ name: '=SUM("a")', tags: ["x", "y"], users: { control: 2, concise: 3 } })];
  const [head, row, rest] = listCsv(items).split("\r\n");
  expect(head).toMatch(/^"id","name","tags","state","users",/);
  expect(row).toContain(`"'=SUM(""a"")","x, y","Running",5,,,`);
  expect(rest).toBe("");
});
