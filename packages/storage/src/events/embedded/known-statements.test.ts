import { expect, test } from "vitest";
import { knownStatements } from "./known-statements.ts";

test("a full set forgets the text that was asked for longest ago", () => {
  const known = knownStatements(2);
  known.add("SELECT 1");
  known.add("SELECT 2");
  expect(known.has("SELECT 1")).toBe(true);
  known.add("SELECT 3");
  expect(["SELECT 1", "SELECT 2", "SELECT 3"].map(known.has)).toEqual([true, false, true]);
});

test("a long text is not kept", () => {
  const known = knownStatements();
  const sql = `SELECT '${"x".repeat(10_000)}'`;
  known.add(sql);
  expect(known.has(sql)).toBe(false);
});
