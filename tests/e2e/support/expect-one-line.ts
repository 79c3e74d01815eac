import { expect } from "vitest";

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** Expects that a program ended with code 1 after one line that says what to do: no stack, no warning beside it. */
export function expectOneLine({ code, stderr }: Ended, line: RegExp): void {
  // Records of state changes (level 30, info) may stand before it: the engine had started, then the port was busy.
  const told = stderr.split("\n").filter((text) => text !== "" && !text.startsWith('{"level":30,'));
  expect(told).toEqual([expect.stringMatching(/^assay: /)]);
  expect(told[0]).toMatch(line);
  expect(code).toBe(1);
}
