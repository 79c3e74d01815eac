import { DAY_MS, DomainError, type Removal } from "@assay/domain";
import { pino } from "pino";
import { expect, test } from "vitest";
import { removalTask, removeEvents } from "./removals.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const removalOf = (experimentId: string, removedAt = NOW): Removal => ({
  orgId: "o",
  experimentId,
  removedAt,
});

/** An event store that notes what is removed, unless it is down. */
function openEvents() {
  const state = { isDown: false, removed: [] as string[] };
  const events = {
    async removeExperiment(orgId: string, experimentId: string) {
      if (state.isDown) throw new DomainError("storage-unavailable", "The event store does not answer.");
      state.removed.push(`${orgId}/${experimentId}`);
    },
  };
  return { state, events };
}

test("removes the events of deleted experiments again for a day, and forgets none before that worked", async () => {
  const { state, events } = openEvents();
  let now = NOW;
  let removals: readonly Removal[] = [removalOf("old", NOW - DAY_MS - 1), removalOf("new")];
  const experiments = {
    listRemovals: async () => removals,
    async forgetRemovals(before: number) {
      removals = removals.filter(({ removedAt }) => removedAt >= before);
    },
  };
  const run = removalTask({ control: { experiments }, events, clock: { now: () => now } });
  state.isDown = true;
  await expect(run()).rejects.toThrow("does not answer");
  expect(removals).toHaveLength(2);
  state.isDown = false;
  await run();
  await run();
  now += DAY_MS + 1;
  await run();
  await run();
  expect(state.removed).toEqual(["o/old", "o/new", "o/new", "o/new"]);
});

test("waits for what is queued before it removes the events, and leaves a failure to the task", async () => {
  const { state, events } = openEvents();
  const lines: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
  let polls = 0;
  const isDrainedTo = async () => ++polls === 3;
  const deps = { queue: { newestSequence: async () => 7, isDrainedTo }, events, log };
  await removeEvents(removalOf("e"), deps);
  expect([polls, state.removed, lines]).toEqual([3, ["o/e"], []]);
  state.isDown = true;
  polls = 2;
  await removeEvents(removalOf("e"), deps);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ orgId: "o", experimentId: "e" });
});
