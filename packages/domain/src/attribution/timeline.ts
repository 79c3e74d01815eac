import { type BucketingInputs, type CompiledBuckets, compileBuckets } from "@assay/bucketing";
import { toWireBuckets } from "../allocation/bucket-map.ts";
import { allocationShares } from "../experiment/allocation-periods.ts";
import type { Experiment, ExperimentStatus } from "../experiment/config.ts";

/** What one version of an experiment says about who gets which variant, from its instant on. */
export interface Stretch {
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly status: ExperimentStatus;
  readonly buckets: CompiledBuckets;
  /** In the order that the bucket map counts them. */
  readonly variants: readonly { readonly key: string; readonly isEnabled: boolean }[];
  /** Each enabled variant's share of the users; a variant without one is absent. */
  readonly shares: Readonly<Record<string, number>>;
}

/** An experiment's history as attribution needs it. */
export interface Timeline extends BucketingInputs {
  /** Oldest first; never empty. */
  readonly stretches: readonly [Stretch, ...Stretch[]];
  /** Every variant that a version ever had. */
  readonly variants: ReadonlySet<string>;
}

type Version = Pick<Experiment, "id" | "config" | "bucketMap" | "updatedAt">;

/** Prepares an experiment's versions (oldest first, at least one) for `assignAt` and `attributeExposure`. */
export function compileTimeline(versions: readonly [Version, ...Version[]]): Timeline {
  const [{ id, config }] = versions;
  const [first, ...later] = versions;
  return {
    id,
    salt: config.salt,
    bucketCount: config.bucketCount,
    stretches: [toStretch(first), ...later.map(toStretch)],
    variants: new Set(versions.flatMap((version) => version.config.variants.map(({ key }) => key))),
  };
}

function toStretch(version: Version): Stretch {
  const { config, bucketMap, updatedAt } = version;
  const keys = config.variants.map(({ key }) => key);
  return {
    startsAt: updatedAt,
    status: config.status,
    buckets: compileBuckets(toWireBuckets(bucketMap, keys)),
    variants: config.variants.map(({ key, enabled }) => ({ key, isEnabled: enabled })),
    shares: allocationShares(version),
  };
}

/** Returns the stretch in force at an instant; null before the first. */
export function stretchAt({ stretches }: Timeline, at: number): Stretch | null {
  return stretches.findLast(({ startsAt }) => startsAt <= at) ?? null;
}
