import { effectiveAllocation } from "../allocation/bucket-map.ts";
import type { Experiment } from "./config.ts";

/** Consecutive versions with the same shares. */
export interface AllocationPeriod {
  /** When its first version was created, epoch milliseconds. */
  readonly startsAt: number;
  /** Each enabled variant's share of the buckets that give a variant; sums to 1. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Groups an experiment's versions (oldest first) into periods of constant shares, which the SRM gate expects (statistics §4). */
export function allocationPeriods(
  versions: readonly Pick<Experiment, "updatedAt" | "bucketMap" | "config">[],
): readonly AllocationPeriod[] {
  const periods: AllocationPeriod[] = [];
  for (const version of versions) {
    const shares = allocationShares(version);
    // With every variant switched off, no users are assigned; late exposures belong to users of the previous period.
    if (Object.keys(shares).length === 0) continue;
    const last = periods.at(-1);
    if (!last || !sameShares(last.shares, shares)) periods.push({ startsAt: version.updatedAt, shares });
  }
  return periods;
}

/** Computes each variant's share of all users, from the buckets or, if another system's flag assigns, from the weights. */
export function shareOfUsers({
  bucketMap,
  config,
}: Pick<Experiment, "bucketMap" | "config">): Readonly<Record<string, number>> {
  if (config.flagKey === null) return effectiveAllocation(bucketMap);
  const total = config.allocation.reduce((sum, { weight }) => sum + weight, 0);
  return Object.fromEntries(config.allocation.map(({ variant, weight }) => [variant, weight / total]));
}

/** Computes each enabled variant's share of the users who get a variant. A variant without a share is absent. */
export function allocationShares({
  bucketMap,
  config,
}: Pick<Experiment, "bucketMap" | "config">): Readonly<Record<string, number>> {
  const enabled = new Set(config.variants.filter((variant) => variant.enabled).map(({ key }) => key));
  // An external system assigns by the weights, whatever the buckets say.
  const dealt =
    config.assignment === "external"
      ? config.allocation.map(({ variant, weight }) => [variant, weight] as const)
      : Object.entries(effectiveAllocation(bucketMap));
  const open = dealt.filter(([variant, share]) => share > 0 && enabled.has(variant));
  const total = open.reduce((sum, [, share]) => sum + share, 0);
  return Object.fromEntries(open.map(([variant, share]) => [variant, share / total]));
}

/**
 * Compares up to the rounding of one division, because a real change moves whole buckets. Both sides sum to 1 over shares above 0,
 * so checking one side is enough.
 */
function sameShares(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  return Object.entries(a).every(([variant, share]) => Math.abs(share - (b[variant] ?? 0)) < 1e-12);
}
