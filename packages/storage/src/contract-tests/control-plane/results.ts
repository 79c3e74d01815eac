import type { Experiment, Json, RunOutcome, StoredRun } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

export function resultContract(engine: () => Engine): void {
  describe("results", () => {
    writing(engine);
    choosing(engine);
    nights(engine);
  });
  describe("pipeline runs", () => pipelineRuns(engine));
}

const runOf = ({ orgId, id }: Experiment, overrides: Partial<StoredRun> = {}): StoredRun => ({
  orgId,
  experimentId: id,
  label: "2026-01-01",
  preliminary: false,
  windowTo: NOW,
  computedAt: NOW,
  body: { z: 1, a: [0.1, null, 1e-300, ODD_TEXT], nested: { "a::b": true } },
  ...overrides,
});

function writing(engine: () => Engine): void {
  test("are written once under label and cut-off, by whichever process is first", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const runs = planes.map((_, i) => runOf(experiment, { body: i, computedAt: NOW + i }));
    const written = await Promise.all(runs.map((run, i) => planes[i]!.results.put(run)));
    expect(written.toSorted()).toEqual([false, true]);
    const stored = await planes[0].results.find(experiment.orgId, experiment.id, "2026-01-01");
    expect(stored).toEqual(runs[written.indexOf(true)]);
    expect(await planes[1].results.put(runOf(experiment, { body: "third" }))).toBe(false);
    expect(await planes[1].results.find(experiment.orgId, experiment.id)).toEqual(stored);
  });

  test.each<{ name: string; body: Json }>([
    { name: "an object, keys in their order", body: runOf({} as Experiment).body },
    { name: "null", body: null },
    { name: "a NUL inside", body: "\0" },
  ])("keep a body that is $name, byte for byte", async ({ body }) => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const run = runOf(experiment, { body, preliminary: true });
    await first.results.put(run);
    const stored = await second.results.find(experiment.orgId, experiment.id);
    expect(stored).toEqual(run);
    expect(JSON.stringify(stored?.body)).toBe(JSON.stringify(body));
  });

  test("are refused for another org's experiment", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const stranger = await newOrg(plane);
    await expect(plane.results.put(runOf({ ...experiment, orgId: stranger }))).rejects.toThrow(
      /foreign key/i,
    );
  });
}

function choosing(engine: () => Engine): void {
  const day = (experiment: Experiment) => [
    runOf(experiment, { label: "2026-01-01", windowTo: NOW + 1, computedAt: NOW + 9 }),
    runOf(experiment, { label: "2026-01-01", windowTo: NOW + 2, computedAt: NOW + 3 }),
    runOf(experiment, { label: "2026-01-02", windowTo: NOW + 5, computedAt: NOW + 5 }),
    runOf(experiment, { label: "manual", windowTo: NOW + 4, computedAt: NOW + 10 }),
  ];

  test("are found by label with the latest cut-off, and without a label by when they were computed", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const { orgId, id } = experiment;
    const runs = day(experiment);
    for (const run of runs) expect(await plane.results.put(run)).toBe(true);
    expect(await plane.results.find(orgId, id, "2026-01-01")).toEqual(runs[1]);
    expect(await plane.results.find(orgId, id, "2026-01-02")).toEqual(runs[2]);
    expect(await plane.results.find(orgId, id)).toEqual(runs[3]);
    expect(await plane.results.find(orgId, id, "2026-01-03")).toBeNull();
    expect(await plane.results.listLabels(orgId, id)).toEqual(["manual", "2026-01-01", "2026-01-02"]);
  });

  test("are listed for each experiment of the org, the run computed last", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [one, two] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    await newExperiment(plane, orgId);
    for (const run of [...day(one), ...day(two).slice(0, 3)]) await plane.results.put(run);
    expect(await plane.results.listLatest(orgId)).toEqual([day(one)[3], day(two)[0]]);
  });

  test("are not there for another org", async () => {
    const [{ results }, plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const stranger = await newOrg(plane);
    await results.put(runOf(experiment));
    expect(await results.find(stranger, experiment.id)).toBeNull();
    expect(await results.find(stranger, experiment.id, "2026-01-01")).toBeNull();
    expect(await results.listLabels(stranger, experiment.id)).toEqual([]);
    expect(await results.listLatest(stranger)).toEqual([]);
  });
}

function nights(engine: () => Engine): void {
  const DAY = 86_400_000;
  const night = (experiment: Experiment, day: number, overrides: Partial<StoredRun> = {}) =>
    runOf(experiment, { label: `2026-01-0${day}`, windowTo: NOW + day * DAY, body: day, ...overrides });

  test("of the nights before a cut-off are listed oldest first, of each night the last", async () => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const { orgId, id } = experiment;
    const [one, three, two] = [night(experiment, 1), night(experiment, 3), night(experiment, 2)];
    const early = night(experiment, 2, { windowTo: two.windowTo - 1, computedAt: NOW + 99, body: "early" });
    const manual = runOf(experiment, { label: "manual-x", windowTo: NOW + 2.5 * DAY, preliminary: true });
    for (const run of [one, three, early, two, manual]) await first.results.put(run);
    const before = (windowTo: number, limit = 10) =>
      second.results.listNightlyBefore(orgId, id, { windowTo, limit });
    expect(await before(three.windowTo + 1)).toEqual([one, two, three]);
    expect(await before(three.windowTo)).toEqual([one, two]);
    expect(await before(two.windowTo)).toEqual([one, early]);
    expect(await before(three.windowTo + 1, 2)).toEqual([two, three]);
    expect(await before(one.windowTo)).toEqual([]);
  });

  test("are those of one experiment of one org", async () => {
    const [plane] = engine().planes;
    const orgId = await newOrg(plane);
    const [mine, sibling] = [await newExperiment(plane, orgId), await newExperiment(plane, orgId)];
    const stranger = await newExperiment(plane, await newOrg(plane));
    for (const experiment of [mine, sibling, stranger]) await plane.results.put(night(experiment, 1));
    const range = { windowTo: NOW + 9 * DAY, limit: 10 };
    expect(await plane.results.listNightlyBefore(orgId, mine.id, range)).toEqual([night(mine, 1)]);
    expect(await plane.results.listNightlyBefore(orgId, stranger.id, range)).toEqual([]);
  });
}

function pipelineRuns(engine: () => Engine): void {
  const claimOf = (
    { orgId, id }: Experiment,
    overrides: { day?: string; windowTo?: number; now?: number } = {},
  ) => {
    const now = overrides.now ?? NOW;
    return {
      orgId,
      experimentId: id,
      day: "2026-01-01",
      windowTo: NOW,
      leaseUntil: now + 100,
      ...overrides,
      now,
    };
  };

  test.each<{
    name: string;
    outcome: RunOutcome | null;
    again: { windowTo?: number; now?: number };
    taken: boolean;
  }>([
    { name: "held", outcome: null, again: { now: NOW + 99 }, taken: false },
    {
      name: "held, with a later cut-off",
      outcome: null,
      again: { now: NOW + 99, windowTo: NOW + 1 },
      taken: false,
    },
    { name: "held until now", outcome: null, again: { now: NOW + 100 }, taken: true },
    { name: "computed up to the same cut-off", outcome: "computed", again: { now: NOW + 500 }, taken: false },
    {
      name: "computed up to an earlier cut-off",
      outcome: "computed",
      again: { windowTo: NOW + 1 },
      taken: true,
    },
    {
      name: "computed up to a later cut-off",
      outcome: "computed",
      again: { windowTo: NOW - 1 },
      taken: false,
    },
    { name: "withheld up to the same cut-off", outcome: "withheld", again: {}, taken: false },
    {
      name: "withheld up to an earlier cut-off",
      outcome: "withheld",
      again: { windowTo: NOW + 1 },
      taken: true,
    },
    { name: "failed", outcome: "failed", again: {}, taken: true },
    { name: "collecting", outcome: "collecting", again: {}, taken: true },
  ])("can be taken when $name: $taken", async ({ outcome, again, taken }) => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const { orgId, id: experimentId } = experiment;
    const day = "2026-01-01";
    expect(await first.pipelineRuns.claim(claimOf(experiment))).toBe(true);
    if (outcome) {
      await first.pipelineRuns.finish({
        experimentId,
        day,
        startedAt: NOW,
        outcome,
        now: NOW + 50,
        detail: ODD_TEXT,
      });
    }
    const before = await second.pipelineRuns.find(experimentId, day);
    expect(before).toEqual({
      ...{ orgId, experimentId, day, windowTo: NOW, startedAt: NOW },
      ...{ outcome: outcome ?? "running", finishedAt: outcome && NOW + 50, detail: outcome && ODD_TEXT },
    });
    const claim = claimOf(experiment, again);
    expect(await second.pipelineRuns.claim(claim)).toBe(taken);
    const retaken = {
      windowTo: claim.windowTo,
      startedAt: claim.now,
      outcome: "running",
      finishedAt: null,
      detail: null,
    };
    expect(await first.pipelineRuns.find(experimentId, day)).toEqual({
      ...before,
      ...(taken ? retaken : {}),
    });
  });

  test("go to one of many processes", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const claims = Array.from({ length: 10 }, (_, i) =>
      planes[i % 2]!.pipelineRuns.claim(claimOf(experiment)),
    );
    expect((await Promise.all(claims)).filter((taken) => taken)).toHaveLength(1);
  });

  test("are not ended by a process whose lease another has taken over", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const run = { experimentId: experiment.id, day: "2026-01-01", now: NOW + 99, detail: null };
    await plane.pipelineRuns.claim(claimOf(experiment));
    await plane.pipelineRuns.finish({ ...run, startedAt: NOW - 1, outcome: "failed" });
    expect(await plane.pipelineRuns.find(experiment.id, run.day)).toMatchObject({ outcome: "running" });
    expect(await plane.pipelineRuns.find(experiment.id, "2026-01-03")).toBeNull();
  });
}
