import { expect, test } from "vitest";
import { sliceText } from "./slice-text.ts";

test.each([
  ["abc", 3, "abc"],
  ["abc", 2, "ab"],
  ["a🧪", 2, "a"],
  ["a🧪", 3, "a🧪"],
  ["a\ud800", 2, "a\ud800"],
])("%j has at most %i characters: %j", (text, length, expected) => {
  expect(sliceText(text, length)).toBe(expected);
});
