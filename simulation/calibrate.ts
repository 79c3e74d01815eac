import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SECTIONS } from "./catalogue.ts";
import { runAll } from "./harness/run-all.ts";
import { cellsOf, type Row } from "./harness/section.ts";
import { type Chapter, FIGURE_FOLDER, sectionChapter, tableOf } from "./report/chapter.ts";
import { documentOf, summaryOf } from "./report/document.ts";
import { upworthyChapter } from "./upworthy/upworthy-chapter.ts";

const DOCS = join(import.meta.dirname, "..", "docs");

/**
 * Runs the simulations and writes docs/calibration.md with its plots. `--short` prints the short form that `npm test` runs.
 * `--only <text>` prints the cells whose id contains the text. `--threads <n>` sets the number of threads. Returns the exit code: 1 if
 * a figure misses its limits, 2 if no cell matches or the number of threads is not valid.
 */
export async function calibrate(args: readonly string[]): Promise<number> {
  const { values: options } = parseArgs({
    args: [...args],
    options: {
      short: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      threads: { type: "string", default: String(availableParallelism()) },
    },
  });
  const threads = Number(options.threads);
  const cells = SECTIONS.flatMap(cellsOf).filter(({ id }) => id.includes(options.only));
  const form = options.short ? "short" : "long";
  if (cells.length === 0 || !Number.isInteger(threads) || threads < 1) {
    console.error(
      "simulate: --only must be part of a cell's id, and --threads a whole number of at least 1.",
    );
    return 2;
  }
  const rows = await runAll(cells, { form, threads, onRow });
  if (options.short || options.only !== "") print(rows, options.only);
  else write(rows);
  return rows.every(keepsLimits) ? 0 : 1;
}

function keepsLimits({ verdicts }: Row): boolean {
  return verdicts.every(({ isInside }) => isInside);
}

/** Reports progress on the error stream, apart from what it prints. */
function onRow(row: Row): void {
  console.error(`${keepsLimits(row) ? "   " : "OUT"} ${row.cell.id}`);
}

function print(rows: readonly Row[], only: string): void {
  const tables = SECTIONS.flatMap((section) => section.tables.map((table) => tableOf(table, rows)));
  console.log([...tables.filter((table) => table !== ""), summaryOf(rows)].join("\n\n"));
  if (only !== "") console.log(`\nCells: ${rows.map(({ cell }) => cell.id).join(", ")}`);
}

function write(rows: readonly Row[]): void {
  const chapters: readonly Chapter[] = [
    ...SECTIONS.map((section) => sectionChapter(section, rows)),
    upworthyChapter(),
  ];
  mkdirSync(join(DOCS, FIGURE_FOLDER), { recursive: true });
  for (const { file, svg } of chapters.flatMap(({ figures }) => figures)) {
    writeFileSync(join(DOCS, FIGURE_FOLDER, file), svg);
  }
  writeFileSync(join(DOCS, "calibration.md"), documentOf(chapters, rows));
}
