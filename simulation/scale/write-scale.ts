import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BACKLOG_FIGURE, backlogFigure, scaleDocument } from "./document.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

/** Writes docs/scale.md and its plot. */
export function writeScale(): void {
  const figure = join(DOCS, BACKLOG_FIGURE);
  mkdirSync(dirname(figure), { recursive: true });
  writeFileSync(figure, backlogFigure());
  writeFileSync(join(DOCS, "scale.md"), scaleDocument());
}
