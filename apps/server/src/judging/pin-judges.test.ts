import {
  changeOrder,
  createMetric,
  type Experiment,
  firstVersion,
  type Judge,
  judgeVersion,
  type MetricDefinition,
  seriesOf,
} from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadShared } from "../config/change-shared-metric.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { pinJudges } from "./pin-judges.ts";

const NOW = Date.UTC(2026, 0, 2);
const judge: Judge = { rubric: "Is it right?", scale: "pass_fail", sampleRate: 1 };

let plane: Awaited<ReturnType<typeof openTestControlPlane>>;
beforeAll(async () => {
  plane = await openTestControlPlane({
    engine: "SQLite",
    open: async () => ({ databaseUrl: null, drop: async () => {} }),
  });
});
afterAll(() => plane.stop());

const judged = (change: Partial<MetricDefinition> = {}): MetricDefinition =>
  createMetric({
    ...{ name: "right", kind: "ratio", category: "quality", methodDefault: "auto", metricVersion: 1 },
    ...{ sharedOrgWide: true, judge },
    ...change,
  });

async function newOrg(): Promise<string> {
  const who = { externalUserId: crypto.randomUUID(), externalOrgId: crypto.randomUUID() };
  const order = changeOrder(NOW, "token");
  await plane.control.people.putMembership({ ...who, order, role: "owner", isRemoved: false }, NOW);
  return (await plane.control.people.findAccess(who))!.orgId;
}

/** An experiment with the metric. */
function newExperiment(
  orgId: string,
  metric: MetricDefinition,
  status: "draft" | "running" | "stopped" = "running",
): Promise<Experiment> {
  const allocation = ["control", "treatment"].map((variant) => ({ variant, weight: 1 }));
  const id = crypto.randomUUID();
  const content = firstVersion({
    name: id,
    salt: "s",
    bucketCount: 10,
    allocation,
    metrics: [metric],
    status,
  });
  return plane.control.experiments.create({ ...content, id, orgId, version: 1, at: NOW, by: "ada" });
}

/** Draws a day for a model: from then on the metric's version is this judge's. */
async function judgeBy(model: string, experiment: Experiment): Promise<void> {
  const [metric] = experiment.config.metrics;
  const series = seriesOf(experiment, metric!);
  const plan = {
    ...series,
    day: "2026-01-01",
    judgeVersion: judgeVersion(model, judge, "user"),
    calls: {},
    plannedAt: NOW,
  };
  await plane.control.judgements.putPlan(plan as never, []);
}

const pin = (experiment: Experiment) =>
  pinJudges(experiment, {
    control: plane.control,
    snapshots: { invalidate: () => undefined } as never,
    clock: { now: () => NOW },
    newId: () => crypto.randomUUID(),
    model: "new",
  });
const metricsOf = async ({ orgId, id }: Experiment) =>
  (await plane.control.experiments.get(orgId, id)).config.metrics;

test("another model raises a shared metric once, for every experiment that uses it", async () => {
  const orgId = await newOrg();
  await plane.control.sharedMetrics.put(orgId, judged());
  const [one, other] = [await newExperiment(orgId, judged()), await newExperiment(orgId, judged(), "draft")];
  const [stopped, own] = [
    await newExperiment(orgId, judged(), "stopped"),
    await newExperiment(orgId, judged({ sharedOrgWide: false })),
  ];
  for (const experiment of [one, other, stopped]) await judgeBy("old", experiment);
  expect((await pin(one)).config.metrics).toEqual([judged({ metricVersion: 2 })]);
  // It was read before, and finds that there is nothing left to do.
  expect((await pin(other)).version).toBe(2);
  expect(await metricsOf(other)).toEqual([judged({ metricVersion: 2 })]);
  expect((await loadShared(orgId, plane.control)).get("right")).toEqual(judged({ metricVersion: 2 }));
  for (const same of [stopped, own]) expect(await metricsOf(same)).toEqual(same.config.metrics);
  const { items } = await plane.control.audit.list(orgId, { limit: 9 });
  expect(items.map(({ action, targetId }) => [action, targetId]).sort()).toEqual(
    [one, other].map(({ id }) => ["experiment.judge-change", id]).sort(),
  );
});

test.each<[name: string, metric: MetricDefinition, status: "running" | "stopped"]>([
  ["stopped", judged(), "stopped"],
  ["with a definition of its own", judged({ margin: 1 }), "running"],
])("an experiment that is %s raises its own metric alone", async (_name, metric, status) => {
  const orgId = await newOrg();
  await plane.control.sharedMetrics.put(orgId, judged());
  const [experiment, follower] = [
    await newExperiment(orgId, metric, status),
    await newExperiment(orgId, judged()),
  ];
  await judgeBy("old", experiment);
  expect((await pin(experiment)).config.metrics).toEqual([{ ...metric, metricVersion: 2 }]);
  expect(await metricsOf(follower)).toEqual([judged()]);
  expect((await loadShared(orgId, plane.control)).get("right")).toEqual(judged());
});

test("a version that another judge has, or that the experiment had once, is passed over", async () => {
  const orgId = await newOrg();
  const first = await newExperiment(orgId, judged({ sharedOrgWide: false, metricVersion: 4 }));
  const [metric] = first.config.metrics;
  const config = { ...first.config, metrics: [{ ...metric!, metricVersion: 1 }] };
  const fallen = await plane.control.experiments.putVersion({
    ...first,
    config,
    version: 2,
    at: NOW,
    by: "ada",
  });
  await judgeBy("old", fallen);
  await judgeBy("older", { ...fallen, config: { ...config, metrics: [{ ...metric!, metricVersion: 5 }] } });
  expect((await pin(fallen)).config.metrics).toMatchObject([{ metricVersion: 6 }]);
});
