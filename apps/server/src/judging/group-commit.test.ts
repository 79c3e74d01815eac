import {
  type Day,
  DomainError,
  type JudgementStore,
  type JudgementTask,
  type SettledJudgement,
} from "@assay/domain";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

const NOW = Date.parse("2026-11-30T23:59:59Z");
const taskOf = (eventId: string): JudgementTask => ({
  ...{ orgId: "o", experimentId: "e", metric: "m", metricVersion: 1, eventId, isRepeat: false, claim: "c" },
  ...{
    judgeVersion: "j",
    userId: "u",
    unitId: null,
    occurredAt: 0,
    day: "2026-11-29" as Day,
    hasFailed: false,
    attempts: 0,
    drawnAt: 0,
  },
});
const settled: SettledJudgement = {
  outcome: { kind: "failed", cause: "refused", detail: "No." },
  usage: null,
  at: NOW,
};

/** A group over a store that records each transaction's outcomes, and fails on request. */
function open() {
  const state = {
    transactions: [] as string[][],
    months: new Set<string>(),
    broken: new Set<string>(),
    isDown: false,
  };
  const closing = new AbortController();
  const settleAll: JudgementStore["settleAll"] = async (settlements) => {
    const ids = settlements.map(({ task }) => task.eventId);
    if (state.isDown) throw new DomainError("storage-unavailable", "It is down.");
    if (ids.some((id) => state.broken.has(id))) throw new Error("It does not fit.");
    state.transactions.push(ids);
    for (const { settled } of settlements) state.months.add(settled.month);
    return ids.map((id) => id !== "lost");
  };
  const control = { judgements: { settleAll } };
  const log = pino({ level: "silent" });
  return { state, closing, group: createGroupCommit({ control, log, closing: closing.signal }) };
}

test("what ends together is one transaction, and counts in its month", async () => {
  const { state, group } = open();
  const tasks = ["a", "b", "lost"].map(taskOf);
  expect(await Promise.all(tasks.map((task) => group.settle(task, settled)))).toEqual([true, true, false]);
  expect(state.transactions).toEqual([["a", "b", "lost"]]);
  expect([...state.months]).toEqual(["2026-11"]);
});

test("many are several transactions, so that none is long", async () => {
  const { state, group } = open();
  const tasks = Array.from({ length: 20 }, (_, index) => taskOf(`${index}`));
  await Promise.all(tasks.map((task) => group.settle(task, settled)));
  expect(state.transactions.map((ids) => ids.length)).toEqual([8, 8, 4]);
  expect(state.transactions.flat()).toEqual(tasks.map(({ eventId }) => eventId));
});

test("one that cannot be stored keeps no other from it", async () => {
  const { state, group } = open();
  state.broken.add("odd");
  const tasks = ["a", "odd", "b"].map(taskOf);
  expect(await Promise.all(tasks.map((task) => group.settle(task, settled)))).toEqual([true, false, true]);
  expect(state.transactions).toEqual([["a"], ["b"]]);
});

test("an outage is waited for, and given up when the service stops", async () => {
  const { state, closing, group } = open();
  state.isDown = true;
  const kept = group.settle(taskOf("kept"), settled);
  setTimeout(() => {
    state.isDown = false;
  }, 10);
  expect(await kept).toBe(true);
  state.isDown = true;
  const given = group.settle(taskOf("given up"), settled);
  closing.abort();
  expect(await given).toBe(false);
});
