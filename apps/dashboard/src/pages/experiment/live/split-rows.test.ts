import { expect, test } from "vitest";
import { splitRows } from "./split-rows.ts";

test("splitRows lays users beside buckets, as shares of those in the experiment", () => {
  const counted = { users: { a: 30, b: 10 }, exposures: { a: 60, b: 11 } };
  expect(splitRows(counted, { a: 0.1, b: 0.1 }, ["a", "b"])).toEqual([
    { arm: "a", users: 30, exposures: 60, observed: 0.75, expected: 0.5 },
    { arm: "b", users: 10, exposures: 11, observed: 0.25, expected: 0.5 },
  ]);
});

test("splitRows knows no share without users or buckets", () => {
  expect(splitRows({ users: {}, exposures: {} }, {}, ["a"])).toEqual([
    { arm: "a", users: 0, exposures: 0, observed: null, expected: null },
  ]);
});
