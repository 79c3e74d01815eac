import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WakeTimer } from "./wake-timer.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function ringing() {
  const rings: number[] = [];
  const timer = new WakeTimer({ now: () => Date.now() }, () => void rings.push(Date.now() - 1_000_000));
  return { rings, setIn: (ms: number) => timer.wakeAt(Date.now() + ms), timer };
}

test("rings at every instant, in whatever order they are set, and once for those of one second", () => {
  const { rings, setIn } = ringing();
  for (const ms of [5_000, 2_000, 1_900, 9_000]) setIn(ms);
  vi.advanceTimersByTime(3_000);
  setIn(1_000);
  vi.advanceTimersByTime(60_000);
  expect(rings).toEqual([2_000, 4_000, 5_000, 9_000]);
});

test("sleeps until an instant beyond what a timer of Node can wait for", () => {
  const { rings, setIn } = ringing();
  const days = 86_400_000;
  setIn(40 * days);
  vi.advanceTimersByTime(1_000);
  expect(rings).toEqual([]);
  vi.advanceTimersByTime(41 * days);
  expect(rings).toEqual([40 * days]);
});

test("rings at once for an instant that is past, and never after it was cleared", () => {
  const { rings, setIn, timer } = ringing();
  setIn(-50_000);
  vi.advanceTimersByTime(0);
  setIn(3_000);
  timer.clear();
  vi.advanceTimersByTime(60_000);
  expect(rings).toEqual([0]);
});
