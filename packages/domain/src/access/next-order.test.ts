import { expect, test } from "vitest";
import { changeOrder } from "./change-order.ts";
import { nextOrder } from "./next-order.ts";

test("is the order of the instant when that is newer", () => {
  expect(nextOrder(changeOrder(999, "deleted"), 1_000, "updated")).toBe(changeOrder(1_000, "updated"));
});

test.each([
  ["the same millisecond", changeOrder(1_000, "deleted")],
  ["a clock that is ahead", changeOrder(5_000, "updated")],
])("is newer than a word of %s", (_name, last) => {
  expect(nextOrder(last, 1_000, "updated")).toBe(last + 1);
});
