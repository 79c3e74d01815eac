import { expect, test } from "vitest";
import { sumThread, threadOf } from "./thread.ts";

const NOTHING = { unit_id: null, run_id: null, metadata: null };

test.each([
  [NOTHING, "user", null],
  [{ ...NOTHING, metadata: { trace_id: 7, conversation_id: "" } }, "user", null],
  [{ ...NOTHING, metadata: { trace_id: "t" } }, "user", { kind: "trace", thread: "t" }],
  [{ ...NOTHING, run_id: "r", metadata: { trace_id: "t" } }, "user", { kind: "run", thread: "r" }],
  [
    { ...NOTHING, run_id: "r", metadata: { conversation_id: "c" } },
    "user",
    { kind: "conversation", thread: "c" },
  ],
  [{ unit_id: "u", run_id: "r", metadata: { conversation_id: "c" } }, "run", { kind: "run", thread: "u" }],
  [{ unit_id: "u", run_id: "r", metadata: null }, "conversation", { kind: "conversation", thread: "u" }],
  [{ unit_id: "u", run_id: null, metadata: null }, "user", null],
  [
    { unit_id: null, run_id: null, metadata: { conversation_id: "c" } },
    "run",
    { kind: "conversation", thread: "c" },
  ],
] as const)("%j in an experiment on the %s is part of %j", (call, unit, expected) => {
  expect(threadOf(call, unit)).toEqual(expected);
});

test("a thread's sums count its model calls, and its time from the first event to the last", () => {
  const at = (second: number) => new Date(1_000 * second).toISOString();
  const call = { type: "model_call", error: false, cost_usd: 0.5, occurred_at: at(3) } as const;
  expect(
    sumThread([
      { type: "exposure", error: null, cost_usd: null, occurred_at: at(1) },
      call,
      { ...call, cost_usd: null, error: true },
      { ...call, cost_usd: 0.25 },
      { type: "tool_call", error: true, cost_usd: null, occurred_at: at(5) },
      { type: "business_event", error: null, cost_usd: null, occurred_at: at(9) },
    ]),
  ).toEqual({ calls: 3, tools: 1, failures: 2, costUsd: 0.75, unpriced: 1, durationMs: 8_000 });
  expect(sumThread([{ ...call, cost_usd: null }])).toMatchObject({
    costUsd: null,
    unpriced: 1,
    durationMs: 0,
  });
});
