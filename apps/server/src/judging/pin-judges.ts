import { toWireMetric } from "@assay/contract";
import {
  type ControlStores,
  type Experiment,
  followsShared,
  type JudgedSeries,
  judgeVersion,
  metricHistory,
  type RubricMetric,
  rubricMetrics,
  seriesOf,
} from "@assay/domain";
import { auditEntry, SYSTEM } from "../audit-entry.ts";
import {
  changeSharedMetric,
  isOpen,
  loadShared,
  type SharedVersion,
} from "../config/change-shared-metric.ts";
import { mintVersion } from "../config/mint-version.ts";
import type { Deps } from "../deps.ts";

type PinDeps = Pick<Deps, "control" | "snapshots" | "clock" | "newId">;

/** Gives a new version to every metric that another model has judged so far, and returns the updated experiment. */
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
  return pinned !== null && pinned !== judgeVersion(model, metric.judge, experiment.config.unit);
}

/**
 * Gives the metric a new version because the judge's model changed: in this experiment, or in all that share it.
 * Returns the current experiment, unchanged when another process was faster.
 */
async function bumpMetricVersion(
  { orgId, experimentId, metric: name }: JudgedSeries,
  model: string,
  deps: PinDeps,
): Promise<Experiment> {
  const { control, snapshots } = deps;
  const experiment = await control.transaction(async (stores) => {
    // As for every change of the org's config, because shared metrics concern other experiments.
    await stores.orgs.lock(orgId);
    const current = await stores.experiments.lock(orgId, experimentId);
    const metric = rubricMetrics(current).find((one) => one.name === name);
    if (metric === undefined) return current;
    if (!(await isJudgedByOther(current, metric, { model, judgements: stores.judgements }))) return current;
    await putNextVersions(current, metric, { model, stores, deps });
    await stores.orgs.bumpConfigVersion(orgId);
    return stores.experiments.get(orgId, experimentId);
  });
  snapshots.invalidate(orgId);
  return experiment;
}

interface VersionParts {
  readonly model: string;
  readonly stores: ControlStores;
  readonly deps: PinDeps;
}

async function putNextVersions(
  current: Experiment,
  metric: RubricMetric,
  { model, stores, deps }: VersionParts,
): Promise<void> {
  const { orgId } = current;
  const metricVersion = await freeVersion(current, metric, { model, stores });
  const recording = { metric: metric.name, model, stores, deps };
  const minting = { at: deps.clock.now(), by: SYSTEM.userId };
  const shared = (await loadShared(orgId, stores)).get(metric.name);
  if (shared !== undefined && isOpen(current) && followsShared(metric, shared)) {
    const to = { ...shared, metricVersion };
    const { minted } = await changeSharedMetric({ orgId, from: shared, to, ...minting }, stores);
    for (const version of minted) await record(version, metricVersion, recording);
    return;
  }
  const metrics = current.config.metrics.map((one) => (one === metric ? { ...metric, metricVersion } : one));
  // It is not held to a shared definition that it differs from.
  const next = await mintVersion(current, { metrics }, { stores, shared: new Map(), ...minting });
  await record({ current, next }, metricVersion, recording);
}

/** Returns the metric's next version that neither the experiment nor another judge has used. */
async function freeVersion(
  current: Experiment,
  metric: RubricMetric,
  { model, stores: { experiments, judgements } }: Pick<VersionParts, "model" | "stores">,
): Promise<number> {
  const history = metricHistory(await experiments.listVersions(current.orgId, current.id));
  let metricVersion = history.get(metric.name)?.metricVersion ?? metric.metricVersion;
  do metricVersion += 1;
  while (await isJudgedByOther(current, { ...metric, metricVersion }, { model, judgements }));
  return metricVersion;
}

async function record(
  { current, next }: SharedVersion,
  metricVersion: number,
  { metric, model, stores, deps }: VersionParts & { readonly metric: string },
): Promise<void> {
  const summary = `The judge's model is now "${model}". The metric "${metric}" continues as version ${metricVersion}.`;
  const toWire = ({ config }: Experiment) => config.metrics.map(toWireMetric);
  const diff = { metrics: { from: toWire(current), to: toWire(next) } };
  const target = { action: "experiment.judge-change", targetType: "experiment", targetId: next.id };
  await stores.audit.record(auditEntry({ ...SYSTEM, orgId: next.orgId }, { ...target, summary, diff }, deps));
}
