import { beforeAll, expect, test } from "vitest";
import { SECTIONS } from "./catalogue.ts";
import { runAll } from "./harness/run-all.ts";
import { cellsOf, type Row } from "./harness/section.ts";

const cells = SECTIONS.flatMap(cellsOf);
let rows: readonly Row[] = [];

// In separate threads, where measuring the tests' coverage does not slow the simulation down tenfold.
beforeAll(async () => {
  rows = await runAll(cells, { form: "short", threads: 2 });
});

test("every cell has its own id, and thus its own random source", () => {
  expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
});

test.each(SECTIONS.map((section) => [section.id, section] as const))(
  "%s: every figure of the short form is within its limits",
  (_, section) => {
    const own = rows.filter(({ cell }) => cellsOf(section).includes(cell));
    const missed = own.flatMap(({ cell, verdicts }) =>
      verdicts
        .filter(({ isInside }) => !isInside)
        .map(({ measure, tally, limits }) => ({ cell: cell.id, measure: measure.name, tally, limits })),
    );
    expect(missed).toEqual([]);
  },
);
