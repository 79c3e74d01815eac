import { type BucketMap, dealBuckets } from "../allocation/bucket-map.ts";
import { type FieldFault, rejectFaults } from "../problem.ts";
import { checkConfig } from "./check-config.ts";
import type { Experiment, ExperimentConfig } from "./config.ts";
import { checkStatusChange } from "./life-cycle.ts";
import { type ConfigInput, createConfig, mergeConfig } from "./make-config.ts";
import type { MetricDefinition } from "./metric.ts";
import { type MetricHistory, metricHistory, versionMetric } from "./metric-version.ts";
import { howToChange, type SharedMetrics, sharedFaults } from "./shared-metric.ts";

/** What a new version fixes. */
export interface VersionContent {
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
}

/** What an experiment's metrics are held to, besides the version before. */
export interface MetricContext {
  /** Of the experiment's versions: a metric's version never falls, also when the metric was removed in between. */
  readonly history: MetricHistory;
  readonly shared: SharedMetrics;
}

/** Makes version 1 of an experiment. Throws `invalid-body` with every fault. */
export function firstVersion(input: ConfigInput, shared: SharedMetrics = new Map()): VersionContent {
  const config = createConfig(input);
  const { faults } = settleMetrics(config.metrics, [], { history: new Map(), shared });
  rejectFaults([...checkStatusChange(null, config.status), ...faults, ...checkConfig(config)]);
  return { config, bucketMap: deal(config, null, new Set()) };
}

/**
 * Makes the version that follows `current`. Users who may hold a variant keep it (spec §1.1): only buckets that
 * nobody can hold yet are dealt anew. A judged metric whose rubric or scale changes gets a new metric version. Metrics are held to
 * the current version alone unless the caller knows more. Throws `invalid-body` with every fault.
 */
export function nextVersion(
  current: Experiment,
  change: Partial<ConfigInput>,
  claims: ReadonlySet<number>,
  context: MetricContext = { history: metricHistory([current]), shared: new Map() },
): VersionContent {
  const merged = mergeConfig(current.config, change);
  const { metrics, faults } = settleMetrics(merged.metrics, current.config.metrics, context);
  const config = { ...merged, metrics };
  rejectFaults([
    ...frozenFaults(current.config, change),
    ...checkStatusChange(current.config.status, config.status),
    ...faults,
    ...checkConfig(config),
  ]);
  const claimed = current.servedAt === null ? claims : "all-allocated";
  const bucketMap = deal(config, current.bucketMap, claimed);
  rejectFaults(orphanFaults(config, bucketMap));
  return { config, bucketMap };
}

interface SettledMetrics {
  readonly metrics: readonly MetricDefinition[];
  readonly faults: readonly FieldFault[];
}

/** Gives judged metrics the version that their rubric asks for, and holds each to its version and to the shared definition. */
function settleMetrics(
  metrics: readonly MetricDefinition[],
  before: readonly MetricDefinition[],
  { history, shared }: MetricContext,
): SettledMetrics {
  const settled = metrics.map((sent, index) => {
    const at = `/metrics/${index}`;
    const now = before.find(({ name }) => name === sent.name);
    const common = sent.sharedOrgWide ? shared.get(sent.name) : undefined;
    const { metric, fault } = versionMetric(sent, { now, known: history.get(sent.name) }, at);
    const differing = sharedFaults(metric, { now, shared: common }, at);
    if (differing.length > 0 || fault === null) return { metric, faults: differing };
    const advice = common === undefined ? "" : ` ${howToChange(sent.name)}`;
    return { metric, faults: [{ ...fault, detail: `${fault.detail}${advice}` }] };
  });
  return { metrics: settled.map(({ metric }) => metric), faults: settled.flatMap(({ faults }) => faults) };
}

function deal(
  config: ExperimentConfig,
  current: BucketMap | null,
  claimed: ReadonlySet<number> | "all-allocated",
): BucketMap {
  const { bucketCount, allocation: weights, coverage } = config;
  return dealBuckets({ bucketCount, current, claimed, weights, coverage });
}

function frozenFaults(current: ExperimentConfig, change: Partial<ConfigInput>): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (change.salt !== undefined && change.salt !== current.salt) {
    faults.push({
      pointer: "/salt",
      detail: "The salt is frozen at creation: leave it out or send the stored one.",
    });
  }
  if (change.bucketCount !== undefined && change.bucketCount !== current.bucketCount) {
    const detail = `The bucket count is frozen at creation: leave it out or send ${current.bucketCount}.`;
    faults.push({ pointer: "/bucket_count", detail });
  }
  return faults;
}

/** A variant whose buckets may hold users cannot leave the list: its users keep it for ever. */
function orphanFaults(config: ExperimentConfig, bucketMap: BucketMap): readonly FieldFault[] {
  const keys = new Set(config.variants.map(({ key }) => key));
  const orphans = new Set(
    bucketMap.flatMap(({ variant }) => (variant === null || keys.has(variant) ? [] : [variant])),
  );
  return [...orphans].map((variant) => ({
    pointer: "/variants",
    detail: `"${variant}" may hold users, who keep it. Keep it in the list, with "enabled": false to give them control behaviour.`,
  }));
}
