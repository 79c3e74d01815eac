import type { Cell, CellTable } from "./cell.ts";
import type { Verdict } from "./verdict.ts";

/** A finished cell, with one verdict per measure. */
export interface Row {
  readonly cell: Cell;
  readonly repetitions: number;
  readonly verdicts: readonly Verdict[];
}

/** A plot, stored next to the report. */
export interface Figure {
  /** File name without folder. */
  readonly file: string;
  /** Text description of the plot. */
  readonly alt: string;
  readonly svg: string;
}

/** A simulated chapter of the report. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What the chapter does and how to read it; Markdown. */
  readonly text: string;
  readonly tables: readonly CellTable[];
  readonly figures: (rows: readonly Row[]) => readonly Figure[];
}

/** Lists a section's cells in the order of its tables. */
export function cellsOf({ tables }: Section): readonly Cell[] {
  return tables.flatMap(({ cells }) => cells);
}
