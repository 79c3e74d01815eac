import type { ControlStores, Experiment, PipelineRun, RunOutcome } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

export function pipelineRunContract(engine: () => Engine): void {
  describe("pipeline runs", () => {
    pipelineRuns(engine);
    listedPipelineRuns(engine);
  });
}

function listedPipelineRuns(engine: () => Engine): void {
  const runsOf = async (plane: ControlStores, { orgId, id }: Experiment, days: readonly string[]) => {
    const claim = { orgId, experimentId: id, windowTo: NOW, now: NOW, leaseUntil: NOW + 1 };
    for (const day of days) await plane.pipelineRuns.claim({ ...claim, day });
    const run = (day: string): PipelineRun => ({
      ...{ orgId, experimentId: id, day, windowTo: NOW, startedAt: NOW },
      ...{ outcome: "running", finishedAt: null, detail: null },
    });
    return run;
  };

  test("are listed newest first, up to the limit", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const [mine, sibling] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
    const run = await runsOf(first, mine, ["2026-01-02", "2026-01-10", "2025-12-31"]);
    await runsOf(first, sibling, ["2026-01-03"]);
    const list = (limit: number) => second.pipelineRuns.list(orgId, mine.id, limit);
    expect(await list(9)).toEqual([run("2026-01-10"), run("2026-01-02"), run("2025-12-31")]);
    expect(await list(2)).toEqual([run("2026-01-10"), run("2026-01-02")]);
    expect(await second.pipelineRuns.list(await newOrg(first), mine.id, 9)).toEqual([]);
  });

  test("are listed with the latest day of each experiment of the org", async () => {
    const [first, second] = engine().planes;
    const orgId = await newOrg(first);
    const [one, two] = [await newExperiment(first, orgId), await newExperiment(first, orgId)];
    await newExperiment(first, orgId);
    const ofOne = await runsOf(first, one, ["2026-01-02", "2026-01-01"]);
    const ofTwo = await runsOf(first, two, ["2026-01-01"]);
    await runsOf(first, await newExperiment(first, await newOrg(first)), ["2026-01-05"]);
    const listed = await second.pipelineRuns.listLatest(orgId);
    expect(new Map(listed.map((run) => [run.experimentId, run]))).toEqual(
      new Map([
        [one.id, ofOne("2026-01-02")],
        [two.id, ofTwo("2026-01-01")],
      ]),
    );
  });
}

function pipelineRuns(engine: () => Engine): void {
  const claimOf = (
    { orgId, id }: Experiment,
    overrides: { day?: string; windowTo?: number; now?: number; standsSince?: number } = {},
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
    again: { windowTo?: number; now?: number; standsSince?: number };
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
    {
      name: "collecting, ended before what stands",
      outcome: "collecting",
      again: { standsSince: NOW + 51 },
      taken: true,
    },
    {
      name: "collecting, ended since what stands",
      outcome: "collecting",
      again: { standsSince: NOW + 50 },
      taken: false,
    },
    { name: "failed since what stands", outcome: "failed", again: { standsSince: NOW }, taken: true },
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

  test("stay with a process that renews its lease, until another takes over", async () => {
    const [first, second] = engine().planes;
    const experiment = await newExperiment(first, await newOrg(first));
    const claim = claimOf(experiment);
    expect(await first.pipelineRuns.claim(claim)).toBe(true);
    const mine = { experimentId: experiment.id, day: claim.day, startedAt: claim.now };
    const leaseUntil = claim.leaseUntil + 1_000;
    expect(await first.pipelineRuns.renew({ ...mine, leaseUntil })).toBe(true);
    const late = { ...claim, now: leaseUntil - 1, leaseUntil: leaseUntil + 1_000 };
    expect(await second.pipelineRuns.claim(late)).toBe(false);
    expect(await second.pipelineRuns.claim({ ...late, now: leaseUntil })).toBe(true);
    expect(await first.pipelineRuns.renew({ ...mine, leaseUntil: leaseUntil + 9_000 })).toBe(false);
    const over = {
      ...mine,
      startedAt: leaseUntil,
      outcome: "failed" as const,
      now: leaseUntil,
      detail: null,
    };
    await second.pipelineRuns.finish(over);
    const theirs = { ...mine, startedAt: leaseUntil, leaseUntil: leaseUntil + 9_000 };
    expect(await second.pipelineRuns.renew(theirs)).toBe(false);
  });

  test("are claimed by one of many processes", async () => {
    const { planes } = engine();
    const experiment = await newExperiment(planes[0], await newOrg(planes[0]));
    const claims = Array.from({ length: 10 }, (_, i) =>
      planes[i % 2]!.pipelineRuns.claim(claimOf(experiment)),
    );
    expect((await Promise.all(claims)).filter((taken) => taken)).toHaveLength(1);
  });

  test("cannot be ended by a process whose lease another has taken over", async () => {
    const [plane] = engine().planes;
    const experiment = await newExperiment(plane, await newOrg(plane));
    const run = { experimentId: experiment.id, day: "2026-01-01", now: NOW + 99, detail: null };
    await plane.pipelineRuns.claim(claimOf(experiment));
    await plane.pipelineRuns.finish({ ...run, startedAt: NOW - 1, outcome: "failed" });
    expect(await plane.pipelineRuns.find(experiment.id, run.day)).toMatchObject({ outcome: "running" });
    expect(await plane.pipelineRuns.find(experiment.id, "2026-01-03")).toBeNull();
  });
}
