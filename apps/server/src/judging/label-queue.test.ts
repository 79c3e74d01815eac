import type { LabelCandidate } from "@assay/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { levelArms } from "./label-queue.ts";

const candidates = (arm: string, orders: readonly number[]): readonly LabelCandidate[] =>
  orders.map((order) => ({
    eventId: `${arm}-${order}`,
    unitId: null,
    arm,
    occurredAt: 0,
    order,
    hasFailed: false,
  }));
const idsOf = (calls: readonly LabelCandidate[]) => calls.map(({ eventId }) => eventId);

test.each<{
  readonly name: string;
  readonly labels: Readonly<Record<string, number>>;
  readonly ids: readonly string[];
}>([
  { name: "arms alternate", labels: {}, ids: ["a-1", "b-2", "b-3", "a-4", "a-5"] },
  { name: "an arm with fewer labels catches up", labels: { a: 2 }, ids: ["b-2", "b-3", "a-1", "a-4", "a-5"] },
  { name: "labels of other arms change nothing", labels: { c: 9 }, ids: ["a-1", "b-2", "b-3", "a-4", "a-5"] },
])("$name", ({ labels, ids }) => {
  const calls = [...candidates("a", [1, 4, 5]), ...candidates("b", [2, 3])];
  expect(idsOf(levelArms(calls, labels))).toEqual(ids);
});

test("no call is lost, and none of an arm overtakes another of it", () => {
  const orders = fc.uniqueArray(fc.integer({ min: 0, max: 1e6 }), { maxLength: 20 });
  const counts = fc.record({ a: fc.nat(30), b: fc.nat(30) });
  fc.assert(
    fc.property(orders, orders, counts, (ofA, ofB, labels) => {
      const sorted = (some: readonly number[]) => [...some].sort((x, y) => x - y);
      const [a, b] = [candidates("a", sorted(ofA)), candidates("b", sorted(ofB))];
      const leveled = levelArms([...a, ...b], labels);
      expect(idsOf(leveled.filter(({ arm }) => arm === "a"))).toEqual(idsOf(a));
      expect(idsOf(leveled.filter(({ arm }) => arm === "b"))).toEqual(idsOf(b));
    }),
  );
});
