import { type BucketMap, dealBuckets } from "../allocation/bucket-map.ts";
import { type FieldFault, invalidBody } from "../problem.ts";
import { checkConfig } from "./check-config.ts";
import type { Experiment, ExperimentConfig } from "./config.ts";
import { checkStatusChange } from "./life-cycle.ts";
import { type ConfigInput, createConfig, mergeConfig } from "./make-config.ts";
import type { MetricDefinition } from "./metric.ts";

/** What a new version fixes. */
export interface VersionContent {
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
}

/** Makes version 1 of an experiment. Throws `invalid-body` with every fault. */
export function firstVersion(input: ConfigInput): VersionContent {
  const config = createConfig(input);
  reject([...checkStatusChange(null, config.status), ...checkConfig(config)]);
  return { config, bucketMap: deal(config, null, new Set()) };
}

/**
 * Makes the version that follows `current`. Users who may hold a variant keep it (spec §1.1): only buckets that
 * nobody can hold yet are dealt anew. A judged metric whose rubric or scale changes gets a new metric version. Throws `invalid-body` with every fault.
 */
export function nextVersion(
  current: Experiment,
  change: Partial<ConfigInput>,
  claims: ReadonlySet<number>,
): VersionContent {
  const merged = mergeConfig(current.config, change);
  const config = { ...merged, metrics: versionJudged(current.config.metrics, merged.metrics) };
  reject([
    ...frozenFaults(current.config, change),
    ...checkStatusChange(current.config.status, config.status),
    ...checkConfig(config),
  ]);
  const claimed = current.servedAt === null ? claims : "all-allocated";
  const bucketMap = deal(config, current.bucketMap, claimed);
  reject(orphanFaults(config, bucketMap));
  return { config, bucketMap };
}

/** Scores by another rubric or on another scale are no continuation, so a judged metric's version rises with them and never falls. */
function versionJudged(
  before: readonly MetricDefinition[],
  metrics: readonly MetricDefinition[],
): readonly MetricDefinition[] {
  const known = new Map(before.map((metric) => [metric.name, metric]));
  return metrics.map((metric) => {
    const old = known.get(metric.name);
    if (!old?.judge) return metric;
    const { rubric, scale } = old.judge;
    const isKept = metric.judge?.rubric === rubric && metric.judge.scale === scale;
    const lowest = old.metricVersion + (isKept ? 0 : 1);
    return { ...metric, metricVersion: Math.max(metric.metricVersion, lowest) };
  });
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

function reject(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw invalidBody(faults);
}
