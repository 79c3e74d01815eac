import {
  type ControlStores,
  type Experiment,
  type FieldFault,
  type MetricDefinition,
  metricHistory,
  type SharedMetrics,
  takeShared,
} from "@assay/domain";
import { mintVersion } from "./mint-version.ts";

/** A new version of an experiment, minted because a shared metric changed. */
export interface SharedVersion {
  readonly current: Experiment;
  readonly next: Experiment;
}

interface Change {
  readonly orgId: string;
  readonly from: MetricDefinition;
  readonly to: MetricDefinition;
  readonly at: number;
  readonly by: string;
}

interface ChangeReport {
  readonly minted: readonly SharedVersion[];
  /** Experiments that use the metric but cannot accept the change. They stay unchanged. */
  readonly faults: readonly FieldFault[];
}

type Stores = Pick<ControlStores, "experiments" | "sharedMetrics">;

/**
 * Stores a new definition of a shared metric, and mints a version of every draft and running experiment that uses it.
 * The transaction must hold the org's lock, so that no experiment starts to use the metric meanwhile.
 */
export async function changeSharedMetric(change: Change, stores: Stores): Promise<ChangeReport> {
  const { orgId, from, to, at, by } = change;
  await stores.sharedMetrics.put(orgId, to);
  const minted: SharedVersion[] = [];
  const faults: FieldFault[] = [];
  for (const { id } of (await stores.experiments.list(orgId)).filter((one) => mayFollow(one, to))) {
    const current = await stores.experiments.lock(orgId, id);
    const history = metricHistory(await stores.experiments.listVersions(orgId, id));
    const { metrics, fault } = takeShared(current.config, { from, to }, history);
    if (fault !== null) faults.push(fault);
    if (metrics === null) continue;
    const shared = new Map([[to.name, to]]);
    minted.push({ current, next: await mintVersion(current, { metrics }, { stores, shared, at, by }) });
  }
  return { minted, faults };
}

function mayFollow(experiment: Experiment, { name }: MetricDefinition): boolean {
  const { metrics } = experiment.config;
  return isOpen(experiment) && metrics.some((metric) => metric.name === name && metric.sharedOrgWide);
}

/** Returns whether changes of shared metrics reach an experiment. The results of an ended experiment must not change. */
export function isOpen({ config: { status } }: Experiment): boolean {
  return status === "draft" || status === "running";
}

/** Loads the metrics that the org's experiments share. */
export async function loadShared(
  orgId: string,
  { sharedMetrics }: Pick<ControlStores, "sharedMetrics">,
): Promise<SharedMetrics> {
  return new Map((await sharedMetrics.list(orgId)).map((metric) => [metric.name, metric]));
}
