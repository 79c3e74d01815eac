import { expect, test } from "vitest";
import { countedUnits } from "./unit-words.ts";

test.each([
  [1_200, "user", undefined, "1,200 users"],
  [1_200, "user", 1_200, "1,200 users"],
  [12, undefined, undefined, "12 users"],
  [12, "conversation", 5, "12 conversations of 5 users"],
  [1, "run", 1, "1 run of 1 user"],
  [12, "run", undefined, "12 runs"],
] as const)("%j of the unit %s, of %j users: %s", (units, unit, users, words) => {
  expect(countedUnits(units, unit, users).replaceAll("\u00a0", " ")).toBe(words);
});
