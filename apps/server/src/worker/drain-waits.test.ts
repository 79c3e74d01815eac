import { expect, test } from "vitest";
import { pauseUnlessAwaited, withoutPauses } from "./drain-waits.ts";
import { waitForDrain } from "./wait-for-drain.ts";

/** Longer than any test. */
const LONG_MS = 2 ** 30;
const running = new AbortController().signal;

test("a pause ends when somebody waits, and there is none until nobody waits any more", async () => {
  const queue = {};
  const paused = pauseUnlessAwaited(queue, LONG_MS, running);
  await withoutPauses(queue, async () => {
    await paused;
    await withoutPauses(queue, async () => {});
    await pauseUnlessAwaited(queue, LONG_MS, running);
  });
  const stopping = new AbortController();
  const next = pauseUnlessAwaited(queue, LONG_MS, stopping.signal).then(() => "over");
  expect(await Promise.race([next, new Promise((resolve) => setImmediate(resolve, "paused"))])).toBe(
    "paused",
  );
  stopping.abort();
  expect(await next).toBe("over");
});

test("who waits for one queue ends no pause of another", async () => {
  const stopping = new AbortController();
  let isOver = false;
  const paused = pauseUnlessAwaited({}, LONG_MS, stopping.signal).then(() => {
    isOver = true;
  });
  await withoutPauses({}, async () => {});
  expect(isOver).toBe(false);
  stopping.abort();
  await paused;
});

test("to wait for what a queue holds ends the pause before it is stored", async () => {
  let isDrained = false;
  const queue = { newestSequence: async () => 1, isDrainedTo: async () => isDrained };
  const storing = pauseUnlessAwaited(queue, LONG_MS, running).then(() => {
    isDrained = true;
  });
  expect(await waitForDrain(LONG_MS, { queue })).toBe(true);
  await storing;
});
