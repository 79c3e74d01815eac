import { randomUUID } from "node:crypto";
import { type ControlPlane, FREE_PLAN, type RunOutcome } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import {
  FEBRUARY,
  JANUARY,
  membershipOf,
  NO_USAGE,
  NOW,
  newExperiment,
  newMember,
  newOrg,
  nextOf,
  readAll,
} from "./fixtures.ts";

export function adminContract(engine: () => Engine): void {
  describe("platform owner", () => {
    orgs(engine);
    totals(engine);
    pipeline(engine);
  });
}

const deleteOrg = (plane: ControlPlane, externalId: string) =>
  plane.people.putOrg({ externalId, order: 9, name: null, isDeleted: true }, NOW);

function orgs(engine: () => Engine): void {
  test("sees an org with plan, members, experiments and the month's usage", async () => {
    const [first, second] = engine().planes;
    const { externalOrgId, ...owner } = membershipOf();
    const { orgId } = await newMember(first, { ...owner, externalOrgId });
    await newMember(first, { externalOrgId });
    await newMember(first, { externalOrgId, isRemoved: true });
    const gone = membershipOf({ externalOrgId });
    await newMember(first, gone);
    const user = { externalId: gone.externalUserId, order: 9, email: null, name: null, isDeleted: true };
    await first.people.putUser(user, NOW);
    for (let i = 0; i < 3; i++) await newExperiment(first, orgId);
    await first.usage.putEvents({ orgId, month: JANUARY, events: 3_000_000_000 });
    await first.plans.putOverride(orgId, "pro");
    const org = await second.orgs.find(orgId);
    const summary = { org, plan: { ...FREE_PLAN, override: "pro" }, members: 2, experiments: 3 };
    const usage = { events: 3_000_000_000, judgeEvaluations: 0 };
    expect(await second.admin.findOrg(orgId, JANUARY)).toEqual({ ...summary, usage });
    expect(await second.admin.findOrg(orgId, FEBRUARY)).toEqual({ ...summary, usage: NO_USAGE });
    const bare = await newOrg(first);
    expect(await second.admin.findOrg(bare, JANUARY)).toMatchObject({
      plan: FREE_PLAN,
      members: 1,
      experiments: 0,
      usage: NO_USAGE,
    });
  });

  test("pages through every existing org, newest first, each as `findOrg` returns it", async () => {
    const [{ admin, orgs: store }, second] = engine().planes;
    const { externalOrgId } = membershipOf();
    const { orgId } = await newMember(second, { externalOrgId });
    await deleteOrg(second, externalOrgId);
    const listed = await readAll(7, (page) => admin.listOrgs(JANUARY, page));
    expect(listed.map(({ org }) => org)).toEqual(await store.list());
    for (const summary of listed.slice(0, 5))
      expect(summary).toEqual(await admin.findOrg(summary.org.id, JANUARY));
    expect(await admin.findOrg(orgId, JANUARY)).toBeNull();
    expect(await admin.findOrg(randomUUID(), JANUARY)).toBeNull();
    await expect(admin.listOrgs(JANUARY, { limit: 5, cursor: "no cursor" })).rejects.toMatchObject({
      kind: "invalid-query",
    });
  });
}

function totals(engine: () => Engine): void {
  test("sees the totals of all existing orgs", async () => {
    const [first, second] = engine().planes;
    const before = await second.admin.getTotals(FEBRUARY);
    const { externalOrgId } = membershipOf();
    const { orgId } = await newMember(first, { externalOrgId });
    const other = await newOrg(first);
    await newExperiment(first, other);
    const experiment = await newExperiment(first, orgId);
    await first.experiments.putVersion(nextOf(experiment, { config: { status: "stopped" } }));
    await first.usage.putEvents({ orgId, month: FEBRUARY, events: 5 });
    await first.usage.putEvents({ orgId: other, month: FEBRUARY, events: 3_000_000_000 });
    await first.usage.putEvents({ orgId: other, month: JANUARY, events: 1 });
    const { draft, running, stopped } = before.experiments;
    const { events, judgeEvaluations } = before.usage;
    expect(await second.admin.getTotals(FEBRUARY)).toEqual({
      orgs: before.orgs + 2,
      users: before.users + 2,
      experiments: { draft, running: running + 1, stopped: stopped + 1 },
      usage: { events: events + 3_000_000_005, judgeEvaluations },
    });
    await deleteOrg(first, externalOrgId);
    expect(await second.admin.getTotals(FEBRUARY)).toEqual({
      orgs: before.orgs + 1,
      users: before.users + 2,
      experiments: { draft, running: running + 1, stopped },
      usage: { events: events + 3_000_000_000, judgeEvaluations },
    });
  });
}

/** Days after the runs of all other tests. */
const [DAY_BEFORE, LAST_DAY] = ["2999-12-30", "2999-12-31"];

function pipeline(engine: () => Engine): void {
  interface Run {
    readonly day: string;
    readonly startedAt: number;
    readonly outcome: RunOutcome | "running";
  }
  const run = async (plane: ControlPlane, { day, startedAt, outcome }: Run) => {
    const orgId = await newOrg(plane);
    const { id: experimentId, config } = await newExperiment(plane, orgId);
    const claim = { orgId, experimentId, day, windowTo: NOW, now: startedAt, leaseUntil: startedAt };
    expect(await plane.pipelineRuns.claim(claim)).toBe(true);
    const end = { experimentId, day, startedAt, now: startedAt + 10, detail: "why" };
    if (outcome !== "running") await plane.pipelineRuns.finish({ ...end, outcome });
    return { orgId, experimentId, experimentName: config.name, day, startedAt, detail: "why" };
  };

  test("sees the last day of the pipeline and the runs that failed for good", async () => {
    const [first, second] = engine().planes;
    const early = await run(first, { day: DAY_BEFORE, startedAt: NOW, outcome: "failed" });
    expect(await second.admin.findLastPipelineDay()).toEqual({
      day: DAY_BEFORE,
      finishedAt: NOW + 10,
      outcomes: { failed: 1 },
    });
    await run(first, { day: LAST_DAY, startedAt: NOW + 1, outcome: "running" });
    expect(await second.admin.findLastPipelineDay()).toEqual({
      day: LAST_DAY,
      finishedAt: null,
      outcomes: { running: 1 },
    });
    await run(first, { day: LAST_DAY, startedAt: NOW + 2, outcome: "computed" });
    await run(first, { day: LAST_DAY, startedAt: NOW + 3, outcome: "computed" });
    const late = await run(first, { day: LAST_DAY, startedAt: NOW + 4, outcome: "failed" });
    expect(await second.admin.findLastPipelineDay()).toEqual({
      day: LAST_DAY,
      finishedAt: NOW + 14,
      outcomes: { running: 1, computed: 2, failed: 1 },
    });
    expect(await second.admin.listFailedRuns(DAY_BEFORE, 5)).toEqual([late, early]);
    expect(await second.admin.listFailedRuns(DAY_BEFORE, 1)).toEqual([late]);
    expect(await second.admin.listFailedRuns(LAST_DAY, 5)).toEqual([late]);
    const retry = { ...late, windowTo: NOW, now: NOW + 20, leaseUntil: NOW + 30 };
    await first.pipelineRuns.claim(retry);
    expect(await second.admin.listFailedRuns(LAST_DAY, 5)).toEqual([]);
  });
}
