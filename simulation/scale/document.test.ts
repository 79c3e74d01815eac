import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BACKLOG_FIGURE, backlogFigure, scaleDocument } from "./document.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

test("docs/scale.md and its plot agree with the model (npm run simulate -- scale writes them)", () => {
  expect(readFileSync(join(DOCS, "scale.md"), "utf8")).toBe(scaleDocument());
  expect(readFileSync(join(DOCS, BACKLOG_FIGURE), "utf8")).toBe(backlogFigure());
});
