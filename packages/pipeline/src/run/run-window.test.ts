import { type ArmSnapshot, dayOf, NO_ATTRIBUTION_FACTS, PLAN_LIMITS, type RunLabel } from "@assay/domain";
import { expect, test } from "vitest";
import { sums } from "../test-support/arms.ts";
import { experimentOf, exposure, manual, metric, nightly, until } from "../test-support/runs.ts";
import { analyzeEvents, type PipelineDeps, runExperiment } from "./run-experiment.ts";

const experiment = experimentOf([metric("m")]);

/**
 * Runs an experiment whose arms have this many users with a value each, and records the queries and what was
 * stored.
 */
async function runOf(users: number, label: RunLabel) {
  const asked: Record<string, unknown> = {};
  const stored: unknown[] = [];
  const snapshot: ArmSnapshot = {
    exposures: ["control", "treatment"].map((arm) => exposure(arm, users)),
    metrics: ["control", "treatment"].map((arm) => sums({ metric: "m", arm }, users, { events: users })),
    outcomes: users,
    droppedPreExposure: 0,
    variantConflicts: 0,
    firstExposureAt: until - 3_600_000,
  };
  const deps: PipelineDeps = {
    experiments: { listVersions: async () => [{ ...experiment, createdBy: "owner" }] },
    exclusions: { list: async () => [] },
    events: { loadFirstSeen: async () => new Map() },
    results: {
      listNightlyBefore: async (_orgId, _id, query) => {
        asked.nights = query;
        return [];
      },
      put: async (run) => {
        stored.push(run);
        return true;
      },
    },
    judgements: { summarize: async () => [], listScored: async () => [] },
    clock: { now: () => until + 5 },
    limits: PLAN_LIMITS.free,
    codeVersion: "1.2.3",
    loadPrices: async () => ({ asOf: dayOf(0), prices: [] }),
    analyze: (frame) =>
      analyzeEvents(frame, {
        loadRun: async (query) => {
          asked.sample = query.sample;
          return {
            arms: snapshot,
            facts: { health: [], attribution: NO_ATTRIBUTION_FACTS, sampling: [], agentRuns: null },
          };
        },
        loadLoggedTraces: async () => [],
        loadFirstExposures: async () => [],
        listExcluded: async () => new Set(),
      }),
  };
  return { asked, stored, report: await runExperiment(experiment, { label, until }, deps) };
}

test("a run looks back on two weeks of nights of earlier days, and on two weeks before the first exposure", async () => {
  const { asked } = await runOf(500, nightly);
  expect(asked).toEqual({
    nights: { day: dayOf(until - 1), limit: 14 },
    sample: { maxUsersPerArm: PLAN_LIMITS.free.maxSamplePerArm, preDays: 14 },
  });
});

test.each([
  { users: 500, label: nightly, outcome: "computed", isStored: true },
  { users: 10, label: nightly, outcome: "collecting", isStored: false },
  { users: 1, label: manual, outcome: "collecting", isStored: true },
] as const)(
  "a $label.kind run over $users users is $outcome",
  async ({ users, label, outcome, isStored }) => {
    const { report, stored } = await runOf(users, label);
    expect(report.outcome).toBe(outcome);
    expect(report.detail === null).toBe(outcome === "computed");
    expect(stored).toEqual(
      isStored
        ? [expect.objectContaining({ computedAt: until + 5, windowTo: until, preliminary: label === manual })]
        : [],
    );
  },
);
