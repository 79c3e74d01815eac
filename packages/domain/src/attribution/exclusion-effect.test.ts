import { expect, test } from "vitest";
import { type ExclusionEffect, exclusionBalance } from "./exclusion-effect.ts";

const effect = (arm: string | null, affectedUsers: number, users: number): ExclusionEffect => ({
  arm,
  users,
  affectedUsers,
  removedUsers: 0,
  events: users,
  removedEvents: affectedUsers,
});

test.each<{ name: string; effects: readonly ExclusionEffect[]; pValue: number | null }>([
  { name: "no arm", effects: [], pValue: null },
  { name: "one arm", effects: [effect("a", 5, 10)], pValue: null },
  { name: "an arm without users", effects: [effect("a", 5, 10), effect("b", 0, 0)], pValue: null },
  { name: "users without an exposure", effects: [effect("a", 5, 10), effect(null, 0, 1_000)], pValue: null },
  { name: "nothing removed", effects: [effect("a", 0, 1_000), effect("b", 0, 1_000)], pValue: 1 },
  { name: "everything removed", effects: [effect("a", 900, 900), effect("b", 1_000, 1_000)], pValue: 1 },
  // R: fisher.test(matrix(c(2, 8, 9, 1), 2))$p.value
  { name: "two small arms", effects: [effect("a", 2, 10), effect("b", 9, 10)], pValue: 0.005477494641581 },
  // The same tables, each arm against the other two; the smallest is that of b, times 3.
  {
    name: "three arms",
    effects: [effect("a", 2, 10), effect("b", 9, 10), effect("c", 0, 0), effect("d", 2, 10)],
    pValue: 0.001242236024845,
  },
])("$name: p = $pValue", ({ effects, pValue }) => {
  const balance = exclusionBalance(effects);
  if (pValue === null) expect(balance.pValue).toBeNull();
  else expect(balance.pValue).toBeCloseTo(pValue, 6);
});

test.each([
  { affected: [100, 100], differs: false },
  { affected: [100, 130], differs: false },
  { affected: [100, 160], differs: true },
  { affected: [0, 12], differs: true },
])("of 1,000 users each, $affected removed differ: $differs", ({ affected, differs }) => {
  const balance = exclusionBalance(affected.map((users, i) => effect(["a", "b"][i]!, users, 1_000)));
  expect(balance.differs).toBe(differs);
  expect(balance.warning !== null).toBe(differs);
});

test("the warning names the arms' shares and says what to do", () => {
  const { warning } = exclusionBalance([effect("control", 12, 1_000), effect("b", 340, 1_000)]);
  expect(warning).toContain("control 1.2%, b 34%");
  expect(warning).toContain("such as a time range or a key");
});
