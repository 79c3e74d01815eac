import type { Cell, CellTable } from "./cell.ts";
import type { Verdict } from "./verdict.ts";

/** A cell that has been run, one verdict per measure. */
export interface Row {
  readonly cell: Cell;
  readonly repetitions: number;
  readonly verdicts: readonly Verdict[];
}

/** A plot, stored beside the report. */
export interface Figure {
  /** File name without folder. */
  readonly file: string;
  /** What it shows, for those who do not see it. */
  readonly alt: string;
  readonly svg: string;
}

/** A chapter of the report that is simulated. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What is done and how to read it; Markdown. */
  readonly text: string;
  readonly tables: readonly CellTable[];
  readonly figures: (rows: readonly Row[]) => readonly Figure[];
}

/** Lists a section's cells in the order of its tables. */
export function cellsOf({ tables }: Section): readonly Cell[] {
  return tables.flatMap(({ cells }) => cells);
}
