import { expect, test } from "vitest";
import { rowAfter } from "./row-keys.ts";

test.each([
  { name: "J goes on", key: "j", focused: 3, count: 9, row: 4 },
  { name: "K goes back", key: "k", focused: 3, count: 9, row: 2 },
  { name: "J stays on the last", key: "j", focused: 8, count: 9, row: 8 },
  { name: "K stays on the first", key: "k", focused: 0, count: 9, row: 0 },
  { name: "J starts at the first in view", key: "j", focused: null, count: 9, row: 5 },
  { name: "K starts there, too", key: "k", focused: null, count: 9, row: 5 },
  { name: "other keys do nothing", key: "x", focused: 3, count: 9, row: null },
  { name: "an empty list has no row", key: "j", focused: null, count: 0, row: null },
])("rowAfter: $name", ({ key, focused, count, row }) =>
  expect(rowAfter(key, { focused, first: 5, count })).toBe(row),
);
