import { expect, test } from "vitest";
import { isCounterRollback } from "./passkey.ts";

test.each([
  { name: "a counter that grows", stored: 1, seen: 2, isRollback: false },
  { name: "the first count", stored: 0, seen: 1, isRollback: false },
  { name: "a passkey that does not count", stored: 0, seen: 0, isRollback: false },
  { name: "the same count again", stored: 2, seen: 2, isRollback: true },
  { name: "a lower count", stored: 3, seen: 2, isRollback: true },
  { name: "a counter that stopped counting", stored: 3, seen: 0, isRollback: true },
])("$name", ({ stored, seen, isRollback }) => {
  expect(isCounterRollback(stored, seen)).toBe(isRollback);
});
