import { readFileSync } from "node:fs";
import { join } from "node:path";

const docs = join(import.meta.dirname, "../docs");

/** Reads a number of the documentation, as `documentedText` reads a text. */
export function documented(file: string, pattern: RegExp): number {
  return Number(documentedText(file, pattern).replaceAll(",", ""));
}

/** Reads a text of the documentation: the pattern's first group in `docs/<file>`, line breaks read as spaces. */
export function documentedText(file: string, pattern: RegExp): string {
  const text = readFileSync(join(docs, file), "utf8").replaceAll(/\s*\n\s*/g, " ");
  const found = [...text.matchAll(new RegExp(pattern, "g"))].map(([, part = ""]) => part);
  if (found.length !== 1) throw new Error(`docs/${file} has ${found.length} places for ${pattern}`);
  return found[0]!;
}

/** Reads the cells of the row of a table in `docs/<file>` that begins with this cell. */
export function documentedRow(file: string, first: string): readonly string[] {
  const lines = readFileSync(join(docs, file), "utf8").split("\n");
  const row = lines.find((line) => line.startsWith(`| ${first} |`));
  if (row === undefined) throw new Error(`docs/${file} has no row ${first}`);
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
