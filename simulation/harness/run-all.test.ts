import { expect, test } from "vitest";
import { SECTIONS } from "../catalogue.ts";
import { runAll } from "./run-all.ts";
import { runCell } from "./run-cell.ts";
import { cellsOf } from "./section.ts";

// Closed forms over counts: the fastest cells.
const cells = SECTIONS.flatMap(cellsOf).filter(({ id }) => id.startsWith("false-positives/fisher-exact"));

test("several threads give the same figures as one, in the cells' order", async () => {
  const seen: string[] = [];
  const rows = await runAll(cells, { form: "long", threads: 2, onRow: ({ cell }) => seen.push(cell.id) });
  expect(cells.length).toBeGreaterThan(1);
  expect(rows.map(({ cell }) => cell)).toEqual(cells);
  expect(seen.toSorted()).toEqual(cells.map(({ id }) => id).toSorted());
  for (const { cell, verdicts } of rows) {
    expect(verdicts.map(({ tally }) => tally)).toEqual(runCell(cell, cell.repetitions.long));
  }
});

test("the short form leaves out cells without a short form", async () => {
  const [cell] = cells;
  const without = { ...cell!, repetitions: { long: 1, short: 0 } };
  const rows = await runAll([cell!, without], { form: "short", threads: 1 });
  expect(rows.map((row) => row.cell)).toEqual([cell]);
});

test("an unknown cell fails the run", async () => {
  const unknown = { ...cells[0]!, id: "unknown" };
  await expect(runAll([unknown], { form: "short", threads: 1 })).rejects.toThrow("No cell unknown.");
});
