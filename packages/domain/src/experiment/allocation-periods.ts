import { effectiveAllocation } from "../allocation/bucket-map.ts";
import type { Experiment } from "./config.ts";

/** A stretch of versions that deal the same shares. */
export interface AllocationPeriod {
  /** When its first version was minted, epoch milliseconds. */
  readonly startsAt: number;
  /** Each enabled variant's share of the buckets that give a variant; sums to 1. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Folds an experiment's versions (oldest first) into periods of constant shares: what the SRM gate expects (statistics §4). */
export function allocationPeriods(
  versions: readonly Pick<Experiment, "updatedAt" | "bucketMap" | "config">[],
): readonly AllocationPeriod[] {
  const periods: AllocationPeriod[] = [];
  for (const { updatedAt, bucketMap, config } of versions) {
    const enabled = new Set(config.variants.filter((variant) => variant.enabled).map(({ key }) => key));
    const shares = normalise(effectiveAllocation(bucketMap), enabled);
    // With every variant switched off, no users are assigned; late exposures belong to users of the previous period.
    if (Object.keys(shares).length === 0) continue;
    const last = periods.at(-1);
    if (!last || !sameShares(last.shares, shares)) periods.push({ startsAt: updatedAt, shares });
  }
  return periods;
}

function normalise(
  allocation: Readonly<Record<string, number>>,
  enabled: ReadonlySet<string>,
): Record<string, number> {
  const open = Object.entries(allocation).filter(([variant]) => enabled.has(variant));
  const total = open.reduce((sum, [, share]) => sum + share, 0);
  return total === 0 ? {} : Object.fromEntries(open.map(([variant, share]) => [variant, share / total]));
}

/**
 * Both sum to 1 over shares above 0, so checking one side is enough. Equal up to the rounding of one division: whole
 * buckets move.
 */
function sameShares(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  return Object.entries(a).every(([variant, share]) => Math.abs(share - (b[variant] ?? 0)) < 1e-12);
}
