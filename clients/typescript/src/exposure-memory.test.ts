import { expect, test } from "vitest";
import { createExposureMemory } from "./exposure-memory.ts";

test.each([
  { name: "knows a key at once", later: 0, known: true },
  { name: "knows a key just before the window ends", later: 599_999, known: true },
  { name: "forgets a key when the window ends", later: 600_000, known: false },
  { name: "knows a key when the clock goes back a little", later: -60_000, known: true },
  { name: "forgets a key when the clock goes back a day", later: -86_400_000, known: false },
])("ExposureMemory $name", ({ later, known }) => {
  const memory = createExposureMemory(600_000, 10);
  memory.add("arm", "a", 1_000_000);
  expect(memory.has("arm", "a", 1_000_000 + later)).toBe(known);
});

test("ExposureMemory starts the window at the record, not at the last lookup", () => {
  const memory = createExposureMemory(600_000, 10);
  memory.add("arm", "a", 0);
  expect(memory.has("arm", "a", 500_000)).toBe(true);
  expect(memory.has("arm", "a", 600_000)).toBe(false);
});

test("ExposureMemory forgets the key used longest ago when it is full", () => {
  const memory = createExposureMemory(600_000, 2);
  memory.add("arm", "a", 0);
  memory.add("arm", "b", 0);
  memory.has("arm", "a", 1);
  memory.add("arm", "c", 2);
  expect(["a", "b", "c"].map((key) => memory.has("arm", key, 3))).toEqual([true, false, true]);
});

test("ExposureMemory distinguishes a user's arms", () => {
  const memory = createExposureMemory(600_000, 10);
  memory.add("arm", "a", 0);
  expect([memory.has("arm", "a", 1), memory.has("other", "a", 1)]).toEqual([true, false]);
});
