import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "..", "data", "upworthy-tests.csv");

/** A headline test of the Upworthy Research Archive: readers and clicks per arm. */
export interface HeadlineTest {
  /** Year and week, `201325` for the 25th week of 2013. */
  readonly week: string;
  readonly impressions: readonly number[];
  readonly clicks: readonly number[];
}

/** Loads the 4,873 tests of the archive's exploratory set (`simulation/data/README.md`), by week. */
export function loadHeadlineTests(): readonly HeadlineTest[] {
  const [, ...lines] = readFileSync(FILE, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [week = "", impressions = "", clicks = ""] = line.split(",");
    return { week, impressions: toNumbers(impressions), clicks: toNumbers(clicks) };
  });
}

function toNumbers(list: string): readonly number[] {
  return list.split(" ").map(Number);
}
