import type { WireBuckets } from "@assay/bucketing";
import { type Arm, computeTargets } from "./targets.ts";

/** A half-open run of buckets with one owner; null: no owner. */
export interface BucketRun {
  readonly start: number;
  readonly end: number;
  readonly variant: string | null;
}

/** Sorted runs that cover every bucket from 0 without a gap; neighbors never have the same owner. */
export type BucketMap = readonly BucketRun[];

export interface DealInput {
  readonly bucketCount: number;
  /** The map in force, over the same `bucketCount`; null for a new experiment. */
  readonly current: BucketMap | null;
  /** Buckets that may hold a user. Buckets without an owner are ignored, because their users have no variant to lose. */
  readonly claimed: "all-allocated" | Iterable<number>;
  /** Relative and non-negative, variants distinct. */
  readonly weights: readonly { readonly variant: string; readonly weight: number }[];
  /** Share of all buckets to allocate, 0 to 1, rounded to whole buckets. */
  readonly coverage: number;
}

const NOBODY = -1;

/** The working arrays of a deal: each bucket's owner index or NOBODY, and 1 if the bucket is claimed. */
interface Dealing {
  readonly owners: Int32Array;
  readonly claims: Uint8Array;
}

/**
 * Deals the buckets to the variants so that shares come as close to the weights as the free buckets allow. A claimed bucket
 * keeps its owner, even if the owner has left the weights or the coverage has shrunk. A free bucket keeps its owner as long as
 * that owner needs it. The remaining buckets go, ascending, to the variants in the order of `weights`.
 */
export function dealBuckets(input: DealInput): BucketMap {
  const variants = variantsOf(input);
  const owners = ownersOf(input, variants);
  const dealing = { owners, claims: claimsOf(input, owners) };
  const arms = countArms(input, variants.length, dealing);
  const targets = computeTargets(arms, Math.round(input.coverage * input.bucketCount));
  const needs = targets.map((target, v) => target - arms[v]!.claimed);
  keepOwners(dealing, needs);
  dealRest(dealing, needs);
  return toRuns(dealing, variants);
}

/** Computes each variant's share of all buckets, whether or not they hold users. */
export function effectiveAllocation(map: BucketMap): Record<string, number> {
  const bucketCount = map.at(-1)?.end ?? 0;
  const counts = new Map<string, number>();
  for (const { start, end, variant } of map) {
    if (variant !== null) counts.set(variant, (counts.get(variant) ?? 0) + end - start);
  }
  return Object.fromEntries(Array.from(counts, ([variant, count]) => [variant, count / bucketCount]));
}

/**
 * Converts a map to the form of the config, where a variant is its index in `variantKeys`.
 * Throws if an owner is missing there, because a variant must stay listed while it owns a bucket.
 */
export function toWireBuckets(map: BucketMap, variantKeys: readonly string[]): WireBuckets {
  return map.map(({ end, variant }) => {
    if (variant === null) return [end, NOBODY];
    const index = variantKeys.indexOf(variant);
    if (index === -1) throw new Error(`Variant ${variant} owns buckets but is not listed.`);
    return [end, index];
  });
}

/** Lists the weighted variants in their order, then those that only still own buckets. */
function variantsOf({ weights, current }: DealInput): readonly string[] {
  const owning = (current ?? []).flatMap(({ variant }) => variant ?? []);
  return [...new Set([...weights.map(({ variant }) => variant), ...owning])];
}

/** Writes out the owner of each bucket as an index into `variants`. */
function ownersOf({ bucketCount, current }: DealInput, variants: readonly string[]): Int32Array {
  const owners = new Int32Array(bucketCount).fill(NOBODY);
  const indexes = new Map(variants.map((variant, v) => [variant, v]));
  for (const { start, end, variant } of current ?? []) {
    if (variant !== null) owners.fill(indexes.get(variant)!, start, end);
  }
  return owners;
}

/** Marks with 1 the buckets that must not change owner. */
function claimsOf({ claimed, current }: DealInput, owners: Int32Array): Uint8Array {
  const claims = new Uint8Array(owners.length);
  if (claimed === "all-allocated") {
    for (const { start, end, variant } of current ?? []) claims.fill(variant === null ? 0 : 1, start, end);
    return claims;
  }
  for (const bucket of claimed) {
    if ((owners[bucket] ?? NOBODY) !== NOBODY) claims[bucket] = 1;
  }
  return claims;
}

/** Pairs each variant's weight (0 once it left the weights) with its count of claimed buckets. */
function countArms({ weights }: DealInput, variantCount: number, { owners, claims }: Dealing): Arm[] {
  const claimed = new Uint32Array(variantCount);
  for (let bucket = 0; bucket < owners.length; bucket++) {
    if (claims[bucket] === 1) claimed[owners[bucket]!]! += 1;
  }
  return Array.from(claimed, (count, v) => ({ weight: weights[v]?.weight ?? 0, claimed: count }));
}

/** Lets owners keep free buckets, ascending, until `needs` is met, and takes the rest away. */
function keepOwners({ owners, claims }: Dealing, needs: number[]): void {
  for (let bucket = 0; bucket < owners.length; bucket++) {
    const owner = owners[bucket]!;
    if (claims[bucket] === 1 || owner === NOBODY) continue;
    if (needs[owner]! > 0) needs[owner]! -= 1;
    else owners[bucket] = NOBODY;
  }
}

/** Gives the buckets without an owner, ascending, to the variants in turn until `needs` is met. */
function dealRest({ owners }: Dealing, needs: readonly number[]): void {
  let bucket = 0;
  for (const [variant, need] of needs.entries()) {
    for (let left = need; left > 0 && bucket < owners.length; bucket++) {
      if (owners[bucket] !== NOBODY) continue;
      owners[bucket] = variant;
      left--;
    }
  }
}

/** Joins neighboring runs with the same owner, and leaves out empty ones. */
export function mergedRuns(runs: readonly BucketRun[]): BucketMap {
  const merged: BucketRun[] = [];
  for (const run of runs) {
    if (run.start === run.end) continue;
    const last = merged.at(-1);
    if (last?.variant === run.variant) merged[merged.length - 1] = { ...last, end: run.end };
    else merged.push(run);
  }
  return merged;
}

/** Merges neighboring buckets with the same owner into runs. */
function toRuns({ owners }: Dealing, variants: readonly string[]): BucketRun[] {
  const runs: BucketRun[] = [];
  let start = 0;
  for (let end = 1; end <= owners.length; end++) {
    if (owners[end] === owners[start]) continue;
    runs.push({ start, end, variant: variants[owners[start]!] ?? null });
    start = end;
  }
  return runs;
}
