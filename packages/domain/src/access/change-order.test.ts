import { expect, test } from "vitest";
import { changeOrder } from "./change-order.ts";

test("the newer word counts, whoever said it", () => {
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
