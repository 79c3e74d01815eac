import type { Experiment } from "../../../api/types.ts";
import { percent } from "../../../format/numbers.ts";

/** A variant's share of buckets by weight, and in force. */
export interface VariantShare {
  readonly variant: string;
  readonly weight: number;
  /** Share of all buckets by weight and coverage. */
  readonly wanted: number;
  /** Share of all buckets in force. */
  readonly inForce: number;
}

type Allocated = Pick<Experiment, "allocation" | "coverage" | "effective_allocation">;

/** Less than this is the grain of the buckets. */
const GRAIN = 0.01;

/** Compares each variant's share by weight with its share in force. */
export function variantShares({
  allocation,
  coverage = 1,
  effective_allocation,
}: Allocated): readonly VariantShare[] {
  const total = allocation.reduce((sum, { weight }) => sum + weight, 0);
  const others = Object.keys(effective_allocation)
    .filter((key) => !allocation.some(({ variant }) => variant === key))
    .map((variant) => ({ variant, weight: 0 }));
  return [...allocation, ...others].map(({ variant, weight }) => ({
    variant,
    weight,
    wanted: total === 0 ? 0 : (coverage * weight) / total,
    inForce: effective_allocation[variant] ?? 0,
  }));
}

/** Describes the split in force and whether it matches the weights. */
export function allocationInWords(experiment: Allocated): string {
  const shares = variantShares(experiment);
  const covered = shares.reduce((sum, { inForce }) => sum + inForce, 0);
  const inForce = `In force: ${shares.map((share) => `${share.variant} ${percent(share.inForce)}`).join(", ")} of all users${
    covered < 1 - GRAIN ? `; ${percent(1 - covered)} take no part` : ""
  }.`;
  const isOff = shares.some(({ wanted, inForce: real }) => Math.abs(wanted - real) >= GRAIN);
  return isOff
    ? `${inForce} This differs from the weights: users keep their variant, so new weights apply only to buckets that cannot hold a user yet.`
    : `${inForce} This matches the weights.`;
}
