import { expect, test } from "vitest";
import { changeOrder, nextOrder } from "./change-order.ts";

test("the newer update counts, whatever its kind", () => {
  expect(changeOrder(1_001, "token")).toBeGreaterThan(changeOrder(1_000, "deleted"));
});

test("in one millisecond a deletion outweighs an update, a creation and a token, in this order", () => {
  const orders = (["token", "created", "updated", "deleted"] as const).map((kind) =>
    changeOrder(1_000, kind),
  );
  expect(orders).toEqual([...orders].sort((one, two) => one - two));
  expect(new Set(orders).size).toBe(4);
});

test("an order is a whole number that can be compared exactly", () => {
  expect(Number.isSafeInteger(changeOrder(Date.UTC(2100, 0, 1), "deleted"))).toBe(true);
});

test("is the order of the instant if that is newer", () => {
  expect(nextOrder(changeOrder(999, "deleted"), 1_000, "updated")).toBe(changeOrder(1_000, "updated"));
});

test.each([
  ["the same millisecond", changeOrder(1_000, "deleted")],
  ["a clock that is ahead", changeOrder(5_000, "updated")],
])("is newer than an update from %s", (_name, last) => {
  expect(nextOrder(last, 1_000, "updated")).toBe(last + 1);
});
