import { type BucketMap, dealBuckets } from "../allocation/bucket-map.ts";
import { type FieldFault, rejectFaults } from "../problem.ts";
import { checkConfig, checkNextConfig } from "./check-config.ts";
import type { Experiment, ExperimentConfig } from "./config.ts";
import { flagChangeFaults } from "./flag.ts";
import { restartFaults } from "./hold.ts";
import { holdbackFaults } from "./holdback.ts";
import { checkStatusChange } from "./life-cycle.ts";
import { type ConfigInput, createConfig, mergeConfig } from "./make-config.ts";
import type { MetricDefinition } from "./metric.ts";
import { type MetricHistory, metricHistory, versionMetric } from "./metric-version.ts";
import { rolloutChangeFaults } from "./rollout.ts";
import { howToChange, type SharedMetrics, sharedFaults } from "./shared-metric.ts";

/** The content of a new version. */
export interface VersionContent {
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
}

/** What a change is checked against, in addition to the previous version. */
export interface ChangeContext {
  /** From all versions of the experiment: a metric's version never falls, even if the metric was removed in between. */
  readonly history: MetricHistory;
  readonly shared: SharedMetrics;
  /** Whether an earlier version shipped a variant; needed only if the change has a holdback. */
  readonly wasShipped?: boolean;
}

/** Makes version 1 of an experiment. Throws `invalid-body` with every fault. */
export function firstVersion(input: ConfigInput, shared: SharedMetrics = new Map()): VersionContent {
  const config = createConfig(input);
  const { faults } = settleMetrics(config.metrics, [], { history: new Map(), shared });
  rejectFaults([
    ...coverageFaults(input.coverage, config),
    ...checkStatusChange(null, config.status),
    ...faults,
    ...checkConfig(config),
  ]);
  return { config, bucketMap: deal(config, null, new Set()) };
}

/**
 * Makes the version that follows `current`. Users who may have a variant keep it (spec §1.1): only buckets without possible users
 * are dealt again. A judged metric whose rubric or scale changes gets a new metric version. Metrics are checked against the
 * current version only, unless the caller passes more. Throws `invalid-body` with every fault.
 */
export function nextVersion(
  current: Experiment,
  change: Partial<ConfigInput>,
  claims: ReadonlySet<number>,
  context: ChangeContext = { history: metricHistory([current]), shared: new Map() },
): VersionContent {
  const merged = mergeConfig(current.config, change);
  const { metrics, faults } = settleMetrics(merged.metrics, current.config.metrics, context);
  const config = { ...merged, metrics };
  const mayHaveUsers = current.servedAt !== null || claims.size > 0;
  rejectFaults([
    ...frozenFaults(current.config, change),
    ...rolloutChangeFaults(current.config, config),
    ...(change.coverage === current.config.coverage ? [] : coverageFaults(change.coverage, config)),
    ...flagChangeFaults(current.config, config, { mayHaveUsers }),
    ...checkStatusChange(current.config.status, config.status),
    ...restartFaults(current.config, config),
    ...faults,
    ...checkNextConfig(config, current.config),
  ]);
  const claimed = current.servedAt === null ? claims : "all-allocated";
  const bucketMap = deal(config, current.bucketMap, claimed);
  const { wasShipped = false } = context;
  rejectFaults([
    ...orphanFaults(config, bucketMap),
    ...holdbackFaults({ current, next: config, bucketMap, sent: change.holdback, wasShipped }),
  ]);
  return { config, bucketMap };
}

interface SettledMetrics {
  readonly metrics: readonly MetricDefinition[];
  readonly faults: readonly FieldFault[];
}

/** Raises judged metrics' versions as their rubric requires, and checks each metric against its version and shared definition. */
function settleMetrics(
  metrics: readonly MetricDefinition[],
  before: readonly MetricDefinition[],
  { history, shared }: ChangeContext,
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
  const { bucketCount, allocation: weights, flagKey } = config;
  const coverage = flagKey === null ? config.coverage : 0;
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
  if (change.unit !== undefined && change.unit !== current.unit) {
    const detail = `The unit is frozen at creation: leave it out or send "${current.unit}".`;
    faults.push({ pointer: "/unit", detail });
  }
  return faults;
}

/** A rollout's stage decides the coverage. */
function coverageFaults(
  sent: number | undefined,
  { rollout, coverage }: ExperimentConfig,
): readonly FieldFault[] {
  if (rollout === null || sent === undefined || sent === coverage) return [];
  return [
    {
      pointer: "/coverage",
      detail: "The rollout's stage decides the coverage: leave it out, or end the rollout.",
    },
  ];
}

/** A variant whose buckets may hold users must stay in the list, because its users keep it forever. */
function orphanFaults(config: ExperimentConfig, bucketMap: BucketMap): readonly FieldFault[] {
  const keys = new Set(config.variants.map(({ key }) => key));
  const orphans = new Set(
    bucketMap.flatMap(({ variant }) => (variant === null || keys.has(variant) ? [] : [variant])),
  );
  return [...orphans].map((variant) => ({
    pointer: "/variants",
    detail: `"${variant}" may have users, who keep it: leave it in the list, with "enabled": false to give them control behavior.`,
  }));
}
