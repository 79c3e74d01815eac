import { expect } from "vitest";
import { API_KEY } from "./scenario-run.ts";

/** A line that the vectors expect: its level, and texts that it contains. */
export interface LoggedLine {
  readonly level: string;
  readonly holds: readonly string[];
}

/** Expects exactly these lines in a `RecordedLog`, none with the API key. */
export function expectLog(lines: readonly string[], expected: readonly LoggedLine[]): void {
  expect(lines.map((line) => line.split(" ")[0])).toEqual(expected.map(({ level }) => level));
  for (const [index, { holds }] of expected.entries()) {
    for (const text of holds) expect(lines[index]).toContain(text);
  }
  expect(lines.join()).not.toContain(API_KEY);
}
