import type { Experiment } from "../api/types.ts";
import { isolated } from "./isolated.ts";
import { percent } from "./numbers.ts";

/** A variant's share of buckets by weight, and in force. */
export interface VariantShare {
  readonly variant: string;
  readonly weight: number;
  /** Share of all buckets by weight and coverage. */
  readonly wanted: number;
  /** Share of all buckets in force. */
  readonly inForce: number;
}

type Allocated = Pick<Experiment, "allocation" | "coverage" | "effective_allocation" | "bucket_count">;

/** Smaller differences are due to whole buckets, which cannot match every weight exactly. */
const tolerance = (bucketCount: number) => Math.max(0.005, 1 / bucketCount) + 1e-9;

/** Returns each variant's share by its weight alone. */
export function sharesByWeight(allocation: Experiment["allocation"]): ReadonlyMap<string, number> {
  const sum = allocation.reduce((total, { weight }) => total + weight, 0);
  return new Map(allocation.map(({ variant, weight }) => [variant, sum > 0 ? weight / sum : 0]));
}

/** Compares each variant's share by weight with its share in force. */
export function variantShares({
  allocation,
  coverage = 1,
  effective_allocation,
}: Omit<Allocated, "bucket_count">): readonly VariantShare[] {
  const shares = sharesByWeight(allocation);
  const others = Object.keys(effective_allocation)
    .filter((key) => !allocation.some(({ variant }) => variant === key))
    .map((variant) => ({ variant, weight: 0 }));
  return [...allocation, ...others].map(({ variant, weight }) => ({
    variant,
    weight,
    wanted: coverage * (shares.get(variant) ?? 0),
    inForce: effective_allocation[variant] ?? 0,
  }));
}

/** Returns whether the split in force matches weights and coverage. */
export function matchesWeights(experiment: Allocated): boolean {
  return variantShares(experiment).every(
    ({ wanted, inForce }) => Math.abs(wanted - inForce) <= tolerance(experiment.bucket_count),
  );
}

/** Describes the split in force and whether it matches the weights. */
export function allocationInWords(experiment: Allocated): string {
  const shares = variantShares(experiment);
  const covered = shares.reduce((sum, { inForce }) => sum + inForce, 0);
  const inForce = `In force: ${shares.map((share) => `${isolated(share.variant)} ${percent(share.inForce)}`).join(", ")} of all users${
    covered < 1 - tolerance(experiment.bucket_count) ? `; ${percent(1 - covered)} take no part` : ""
  }.`;
  return matchesWeights(experiment)
    ? `${inForce} This matches the weights.`
    : `${inForce} This differs from the weights: users keep their variant, so new weights apply only to buckets that cannot hold a user yet.`;
}
