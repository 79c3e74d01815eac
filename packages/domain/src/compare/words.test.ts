import fc from "fast-check";
import { expect, test } from "vitest";
import { likeness, wordsOf } from "./words.ts";

test.each([
  ["How do I sign in?", ["how", "do", "i", "sign", "in"]],
  ["  HOW—do I\nsign-in!! ", ["how", "do", "i", "sign", "in"]],
  ["Straße 12b", ["straße", "12b"]],
  ["料金は API?", ["料", "金", "は", "api"]],
  ["?!", ["?!"]],
  ["  ", []],
])("the words of %j", (text, words) => expect(wordsOf(text)).toEqual(words));

test.each([
  ["a b", "b c", 1 / 3],
  ["a", "a", 1],
  ["a", "b", 0],
  ["", "", 1],
  ["", "a", 0],
])("%j and %j have similarity %d", (one, other, alike) =>
  expect(likeness(new Set(wordsOf(one)), new Set(wordsOf(other)))).toBe(alike),
);

test("long texts of one repeated character are read in linear time", () => {
  fc.assert(
    fc.property(fc.constantFrom("a", " ", "?", "料", "\u0301"), (char) => {
      expect(wordsOf(char.repeat(200_000)).length).toBeLessThanOrEqual(200_000);
    }),
  );
});
