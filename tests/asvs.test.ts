import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const CHAPTERS = ["2", "3", "4", "5", "7", "8", "11", "13"];

/** The rows of the table of requirements in SECURITY.md. */
const rows = readFileSync(join(ROOT, "SECURITY.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| \d+\.\d+\.\d+/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, requirement = "", shown = ""]) => ({ requirement, shown }));

test("the table covers exactly these chapters", () => {
  expect([...new Set(rows.map(({ requirement }) => requirement.split(".")[0]))]).toEqual(CHAPTERS);
});

test.each(rows)("$requirement is shown by files that exist, or says why not", ({ shown }) => {
  const files = [...shown.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = ""]) => file);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  if (files.length === 0) expect(shown.length).toBeGreaterThan(10);
});
