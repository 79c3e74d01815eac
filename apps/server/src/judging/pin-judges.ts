import { toWireMetric } from "@assay/contract";
import {
  type ControlStores,
  type Experiment,
  type JudgedSeries,
  judgeVersion,
  nextVersion,
  type RubricMetric,
  rubricMetrics,
  seriesOf,
} from "@assay/domain";
import { auditEntry } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";

const SYSTEM = { userId: "system", name: "Assay", email: "" };

type PinDeps = Pick<Deps, "control" | "snapshots" | "clock" | "newId">;

/** Gives every metric that another model judged so far a new version, and returns the experiment with them. */
export async function pinJudges(
  experiment: Experiment,
  deps: PinDeps & { readonly model: string },
): Promise<Experiment> {
  const { model, control } = deps;
  let current = experiment;
  for (const metric of rubricMetrics(experiment)) {
    if (await isJudgedByOther(current, metric, { model, judgements: control.judgements }))
      current = await bumpMetricVersion(seriesOf(current, metric), model, deps);
  }
  return current;
}

/** Whether another judge has scored this version of the metric: scores of two models are not comparable. */
async function isJudgedByOther(
  experiment: Experiment,
  metric: RubricMetric,
  { model, judgements }: { readonly model: string } & Pick<ControlStores, "judgements">,
): Promise<boolean> {
  const pinned = await judgements.findJudgeVersion(seriesOf(experiment, metric));
  return pinned !== null && pinned !== judgeVersion(model, metric.judge);
}

/**
 * Creates an experiment version in which the metric has a new version, because the judge's model changed. Returns the current
 * experiment, unchanged when another process was faster.
 */
async function bumpMetricVersion(
  { orgId, experimentId, metric: name }: JudgedSeries,
  model: string,
  deps: PinDeps,
): Promise<Experiment> {
  const { control, snapshots } = deps;
  const experiment = await control.transaction(async (stores) => {
    const current = await stores.experiments.lock(orgId, experimentId);
    const metric = rubricMetrics(current).find((one) => one.name === name);
    if (metric === undefined) return current;
    const { judgements } = stores;
    if (!(await isJudgedByOther(current, metric, { model, judgements }))) return current;
    const next = await putNextVersion(current, metric, { model, stores, deps });
    await stores.orgs.bumpConfigVersion(orgId);
    return next;
  });
  snapshots.invalidate(orgId);
  return experiment;
}

interface VersionParts {
  readonly model: string;
  readonly stores: ControlStores;
  readonly deps: PinDeps;
}

async function putNextVersion(
  current: Experiment,
  metric: RubricMetric,
  { model, stores, deps }: VersionParts,
): Promise<Experiment> {
  const { id, orgId, config } = current;
  let raised = metric;
  do raised = { ...raised, metricVersion: raised.metricVersion + 1 };
  while (await isJudgedByOther(current, raised, { model, judgements: stores.judgements }));
  const metrics = config.metrics.map((one) => (one === metric ? raised : one));
  const claims = current.servedAt === null ? await stores.experiments.listClaims(id) : new Set<number>();
  const next = await stores.experiments.putVersion({
    ...nextVersion(current, { metrics }, claims),
    id,
    orgId,
    version: current.version + 1,
    at: deps.clock.now(),
    by: SYSTEM.userId,
  });
  const summary = `The judge's model is now "${model}". The metric "${metric.name}" continues as version ${raised.metricVersion}.`;
  const diff = { metrics: { from: config.metrics.map(toWireMetric), to: metrics.map(toWireMetric) } };
  const action = { action: "experiment.judge-change", targetType: "experiment", targetId: id, summary, diff };
  await stores.audit.record(auditEntry({ ...SYSTEM, orgId }, action, deps));
  return next;
}
