import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectionLost, Problem } from "../../../api/problem.ts";
import { LabelOutbox, type UnsentLabel } from "./label-outbox.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const labelOf = (eventId: string, score = 1): UnsentLabel => ({
  experimentId: "e",
  metric: "helpful",
  eventId,
  score,
  note: "",
});
const answered = (status: number, retryAfterSeconds: number | null = null) =>
  new Problem({ kind: "", title: "", detail: `It answered ${status}.`, status, retryAfterSeconds });

/** An outbox whose service fails with these problems first; null is a success. */
function outboxWith(problems: readonly (Problem | null)[] = [], kept: readonly UnsentLabel[] = []) {
  const sent: UnsentLabel[] = [];
  const left = [...problems];
  let written = kept;
  const outbox = new LabelOutbox({
    send: async (label) => {
      const problem = left.shift() ?? null;
      if (problem !== null) throw problem;
      sent.push(label);
    },
    read: () => kept,
    write: (unsent) => {
      written = unsent;
    },
  });
  const scores = () => sent.map(({ eventId, score }) => `${eventId}${score}`).join(" ");
  return { outbox, scores, written: () => written };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

test("labels are sent in order, and kept until they are stored", async () => {
  const { outbox, scores, written } = outboxWith();
  outbox.add(labelOf("a"));
  outbox.add(labelOf("b", 0));
  expect(written().map(({ eventId }) => eventId)).toEqual(["a", "b"]);
  await settle();
  expect(scores()).toBe("a1 b0");
  expect(outbox.state()).toEqual({ unsent: [], problem: null, refused: [], stored: 2 });
  expect(written()).toEqual([]);
});

test.each([
  { problem: connectionLost(), waitMs: 1_000 },
  { problem: answered(503), waitMs: 1_000 },
  { problem: answered(401), waitMs: 1_000 },
  { problem: answered(429, 7), waitMs: 7_000 },
])("after $problem.status a label waits and is sent again by itself", async ({ problem, waitMs }) => {
  const { outbox, scores } = outboxWith([problem]);
  outbox.add(labelOf("a"));
  await settle();
  expect(outbox.state()).toMatchObject({ unsent: [labelOf("a")], problem });
  await vi.advanceTimersByTimeAsync(waitMs - 1);
  expect(scores()).toBe("");
  await vi.advanceTimersByTimeAsync(1);
  expect(scores()).toBe("a1");
  expect(outbox.state()).toMatchObject({ unsent: [], problem: null, stored: 1 });
});

test("waits longer after every failure, and no longer when asked to send now", async () => {
  const { outbox, scores } = outboxWith([connectionLost(), connectionLost(), connectionLost()]);
  outbox.add(labelOf("a"));
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(outbox.state().unsent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(scores()).toBe("");
  outbox.retry();
  await settle();
  expect(scores()).toBe("a1");
});

test("a label that is refused is said with its reason and blocks no other", async () => {
  const { outbox, scores } = outboxWith([answered(400)]);
  outbox.add(labelOf("a"));
  outbox.add(labelOf("b"));
  await settle();
  expect(scores()).toBe("b1");
  expect(outbox.state()).toMatchObject({
    unsent: [],
    refused: [{ label: labelOf("a"), reason: "It answered 400." }],
  });
  outbox.dismissRefused();
  expect(outbox.state().refused).toEqual([]);
});

test("a newer label of the same call takes the place of one that is not stored", async () => {
  const { outbox, scores } = outboxWith([connectionLost()]);
  outbox.add(labelOf("a", 1));
  await settle();
  outbox.add(labelOf("a", 0));
  await settle();
  expect(scores()).toBe("a0");
});

test("a newer label of a call whose label is on its way is sent after it", async () => {
  const { outbox, scores } = outboxWith();
  outbox.add(labelOf("a", 1));
  outbox.add(labelOf("a", 0));
  await settle();
  expect(scores()).toBe("a1 a0");
});

test("what an earlier page left behind is sent", async () => {
  const { outbox, scores } = outboxWith([], [labelOf("a")]);
  await settle();
  expect(scores()).toBe("a1");
  expect(outbox.state().stored).toBe(1);
});

test("notifies listeners until they unsubscribe", async () => {
  const { outbox } = outboxWith();
  const heard = vi.fn();
  const stop = outbox.subscribe(heard);
  outbox.add(labelOf("a"));
  await settle();
  expect(heard).toHaveBeenCalledTimes(2);
  stop();
  outbox.add(labelOf("b"));
  await settle();
  expect(heard).toHaveBeenCalledTimes(2);
});
