import { expect, test } from "vitest";
import { arrive, EMPTY_SESSION, label, type QueuedCall, undo } from "./label-session.ts";

const call = (event_id: string): QueuedCall => ({ event_id, input: "Why?", answer: "Because." });
const NONE = new Set<string>();
const ids = (calls: readonly QueuedCall[]) => calls.map(({ event_id }) => event_id).join("");
const passed = (event_id: string) => ({ call: call(event_id), score: 1, note: "" });

test("a batch is appended in order, without known, labeled or unsent calls", () => {
  const begun = label(arrive(EMPTY_SESSION, [call("a"), call("b")], NONE), passed("a"));
  const next = arrive(begun, [call("a"), call("b"), call("c"), call("d")], new Set(["d"]));
  expect(ids(next.waiting)).toBe("bc");
  expect(next.isDry).toBe(false);
});

test("a batch without anything new says that the queue is dry", () => {
  const begun = arrive(EMPTY_SESSION, [call("a")], NONE);
  expect(arrive(begun, [call("a")], NONE).isDry).toBe(true);
  expect(arrive(EMPTY_SESSION, [], NONE).isDry).toBe(true);
});

test("labeling moves on to the next call", () => {
  const session = label(arrive(EMPTY_SESSION, [call("a"), call("b")], NONE), {
    call: call("a"),
    score: 0,
    note: "wrong",
  });
  expect(ids(session.waiting)).toBe("b");
  expect(session.made).toEqual([{ call: call("a"), score: 0, note: "wrong" }]);
});

test("undoing shows the last call with its label, and labeling it again moves on", () => {
  const begun = arrive(EMPTY_SESSION, [call("a"), call("b"), call("c")], NONE);
  const two = label(label(begun, passed("a")), passed("b"));
  const undone = undo(two);
  expect(ids(undone.waiting)).toBe("bc");
  expect(undone.undone).toEqual(passed("b"));
  const again = label(undone, { call: call("b"), score: null, note: "" });
  expect(again.undone).toBeNull();
  expect(again.made.map(({ score }) => score)).toEqual([1, null]);
  expect(ids(undo(undone).waiting)).toBe("abc");
});

test("a label of a call that is no longer shown changes nothing", () => {
  const session = arrive(EMPTY_SESSION, [call("b")], NONE);
  expect(label(session, passed("a"))).toBe(session);
});

test("without a call, or without a label, nothing changes", () => {
  expect(label(EMPTY_SESSION, passed("a"))).toBe(EMPTY_SESSION);
  expect(undo(EMPTY_SESSION)).toBe(EMPTY_SESSION);
});
