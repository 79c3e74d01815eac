import { type BucketingInputs, type CompiledBuckets, compileBuckets } from "@assay/bucketing";
import { toWireBuckets } from "../allocation/bucket-map.ts";
import { allocationShares } from "../experiment/allocation-periods.ts";
import type { Experiment, ExperimentStatus } from "../experiment/config.ts";
import { openHold } from "../experiment/hold.ts";
import { holdbackMap, openHoldback } from "../experiment/holdback.ts";
import { variantsOfQaUsers } from "../experiment/qa-users.ts";
import type { ExperimentUnit } from "../experiment/unit.ts";

/** Who gets which variant under one version of an experiment, from its instant on. */
export interface Stretch {
  /** Epoch milliseconds. */
  readonly startsAt: number;
  readonly status: ExperimentStatus;
  /** Nobody gets a variant, although the experiment runs. */
  readonly isHeld: boolean;
  /** The variant that everybody gets while the status is `shipped`. */
  readonly shippedVariant: string | null;
  readonly buckets: CompiledBuckets;
  /** Who gets the shipped variant and who keeps control; null unless users are held back. */
  readonly holdback: CompiledBuckets | null;
  /** In the order of the bucket map's indexes. */
  readonly variants: readonly { readonly key: string; readonly isEnabled: boolean }[];
  /** Each enabled variant's share of the users; a variant without one is absent. */
  readonly shares: Readonly<Record<string, number>>;
  /** The variant of each QA user. */
  readonly qaUsers: ReadonlyMap<string, string>;
}

/** An experiment's history as attribution needs it. */
export interface Timeline extends BucketingInputs {
  readonly unit: ExperimentUnit;
  /** Oldest first; never empty. */
  readonly stretches: readonly [Stretch, ...Stretch[]];
  /** Every variant that a version ever had. */
  readonly variants: ReadonlySet<string>;
}

type Version = Pick<Experiment, "id" | "config" | "bucketMap" | "updatedAt">;

/** Prepares an experiment's versions (oldest first, at least one) for `assignAt` and `attributeExposure`. */
export function compileTimeline([first, ...later]: readonly [Version, ...Version[]]): Timeline {
  const { id, config } = first;
  const started: Timeline = {
    id,
    salt: config.salt,
    bucketCount: config.bucketCount,
    unit: config.unit,
    stretches: [toStretch(first)],
    variants: new Set(keysOf(first)),
  };
  return extendTimeline(started, later);
}

/** Adds newer versions, oldest first. The work depends only on the added versions. */
export function extendTimeline(timeline: Timeline, later: readonly Version[]): Timeline {
  return {
    ...timeline,
    stretches: [...timeline.stretches, ...later.map(toStretch)],
    variants: new Set([...timeline.variants, ...later.flatMap(keysOf)]),
  };
}

function keysOf({ config }: Version): readonly string[] {
  return config.variants.map(({ key }) => key);
}

function toStretch(version: Version): Stretch {
  const { config, bucketMap, updatedAt } = version;
  const keys = config.variants.map(({ key }) => key);
  const isHoldingBack = config.status === "shipped" && openHoldback(config) !== null;
  return {
    startsAt: updatedAt,
    status: config.status,
    isHeld: openHold(config) !== null,
    shippedVariant: config.shippedVariant,
    buckets: compileBuckets(toWireBuckets(bucketMap, keys)),
    holdback: isHoldingBack ? compileBuckets(toWireBuckets(holdbackMap(version), keys)) : null,
    variants: config.variants.map(({ key, enabled }) => ({ key, isEnabled: enabled })),
    shares: allocationShares(version),
    qaUsers: variantsOfQaUsers(config),
  };
}

/** Returns the stretch in force at an instant; null before the first. */
export function stretchAt({ stretches }: Timeline, at: number): Stretch | null {
  return stretches.findLast(({ startsAt }) => startsAt <= at) ?? null;
}
