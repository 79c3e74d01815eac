import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectGarbage } from "./collect-garbage.ts";

test("collects what nobody holds", async () => {
  const garbage = new WeakRef({});
  // In the turn that makes it, a weak reference holds its target.
  await nextTurn();
  expect(garbage.deref()).toBeDefined();
  await nextTurn();
  collectGarbage();
  expect(garbage.deref()).toBeUndefined();
});
