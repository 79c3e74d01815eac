import { expect, test } from "vitest";
import { atMost, listed } from "./lists.ts";

test.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b"], "a and b"],
  [["a", "b", "c"], "a, b and c"],
])("%j is listed as %j", (parts, words) => expect(listed(parts)).toBe(words));

test.each([
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [
    ["a", "b", "c", "d"],
    ["a", "b", "c", "d"],
  ],
  [
    ["a", "b", "c", "d", "e"],
    ["a", "b", "c", "2 more metrics"],
  ],
])("of %j, %j are named", (parts, named) => expect(atMost(parts, "more metrics")).toEqual(named));
