import { DomainError } from "@assay/domain";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

/** A group over a store that records each transaction's outcomes, and fails on request. */
function open() {
  const state = {
    transactions: [] as string[][],
    broken: new Set<string>(),
    isDown: false,
  };
  const closing = new AbortController();
  const write = async (ids: readonly string[]) => {
    if (state.isDown) throw new DomainError("storage-unavailable", "It is down.");
    if (ids.some((id) => state.broken.has(id))) throw new Error("It does not fit.");
    state.transactions.push([...ids]);
    return ids.map((id) => id !== "lost");
  };
  const log = pino({ level: "silent" });
  const group = createGroupCommit({ write, lost: false, what: "outcomes", log, closing: closing.signal });
  return { state, closing, group };
}

test("what ends together is one transaction", async () => {
  const { state, group } = open();
  const ids = ["a", "b", "lost"];
  expect(await Promise.all(ids.map((id) => group.settle(id)))).toEqual([true, true, false]);
  expect(state.transactions).toEqual([["a", "b", "lost"]]);
});

test("many are several transactions, so that none is long", async () => {
  const { state, group } = open();
  const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
  await Promise.all(ids.map((id) => group.settle(id)));
  expect(state.transactions.map(({ length }) => length)).toEqual([16, 4]);
  expect(state.transactions.flat()).toEqual(ids);
});

test("one that cannot be stored keeps no other from it", async () => {
  const { state, group } = open();
  state.broken.add("odd");
  const ids = ["a", "odd", "b"];
  expect(await Promise.all(ids.map((id) => group.settle(id)))).toEqual([true, false, true]);
  expect(state.transactions).toEqual([["a"], ["b"]]);
});

test("an outage is waited for, and given up when the service stops", async () => {
  const { state, closing, group } = open();
  state.isDown = true;
  const kept = group.settle("kept");
  setTimeout(() => {
    state.isDown = false;
  }, 10);
  expect(await kept).toBe(true);
  state.isDown = true;
  const given = group.settle("given up");
  closing.abort();
  expect(await given).toBe(false);
});
