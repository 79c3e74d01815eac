import type { CellTable } from "../harness/cell.ts";
import type { Figure, Row, Section } from "../harness/section.ts";
import { formatVerdict, markdownTable } from "./format.ts";

/** A part of the document with its plots. */
export interface Chapter {
  readonly markdown: string;
  readonly figures: readonly Figure[];
}

/** Folder of the plots, relative to the document. */
export const FIGURE_FOLDER = "calibration";

/** Writes the chapter of a simulated section from its rows, without cells that were not run. */
export function sectionChapter(section: Section, rows: readonly Row[]): Chapter {
  const figures = section.figures(rows);
  const tables = section.tables.map((table) => tableOf(table, rows));
  const parts = [`## ${section.title}`, section.text, ...figures.map(showFigure), ...tables];
  return { markdown: parts.join("\n\n"), figures };
}

/** Writes the Markdown line of a plot. */
export function showFigure({ file, alt }: Figure): string {
  return `![${alt}](${FIGURE_FOLDER}/${file})`;
}

/** Writes a table of cells under its caption, or nothing when none of them was run. */
export function tableOf({ caption, heads, cells }: CellTable, rows: readonly Row[]): string {
  const own = rows.filter(({ cell }) => cells.includes(cell));
  const [first] = own;
  if (first === undefined) return "";
  const head = [...heads, "repetitions", ...first.cell.measures.map(({ name }) => name)];
  const lines = own.map(({ cell, repetitions, verdicts }) => [
    ...cell.labels,
    repetitions.toLocaleString("en-US"),
    ...verdicts.map(formatVerdict),
  ]);
  return `**${caption}**\n\n${markdownTable(head, lines)}`;
}
