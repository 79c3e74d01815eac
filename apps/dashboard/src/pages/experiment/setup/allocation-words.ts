import type { Experiment } from "../../../api/types.ts";
import { percent } from "../../../format/numbers.ts";

/** What one variant should have of all buckets, and what it has. */
export interface VariantShare {
  readonly variant: string;
  readonly weight: number;
  /** Of all buckets, as weights and coverage ask for. */
  readonly wanted: number;
  /** Of all buckets, as in force. */
  readonly inForce: number;
}

type Allocated = Pick<Experiment, "allocation" | "coverage" | "effective_allocation">;

/** Less than this is the grain of the buckets. */
const GRAIN = 0.01;

/** Lays the share that each variant should have beside the one it has. */
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

/** Says in one sentence whether what is in force is what the weights ask for, and why not. */
export function allocationInWords(experiment: Allocated): string {
  const shares = variantShares(experiment);
  const covered = shares.reduce((sum, { inForce }) => sum + inForce, 0);
  const inForce = `In force: ${shares.map((share) => `${share.variant} ${percent(share.inForce)}`).join(", ")} of all users${
    covered < 1 - GRAIN ? `; ${percent(1 - covered)} are not in the experiment` : ""
  }.`;
  const isOff = shares.some(({ wanted, inForce: real }) => Math.abs(wanted - real) >= GRAIN);
  return isOff
    ? `${inForce} The weights ask for something else: a user who may have a variant keeps it, so new weights only reach users whom nobody could have assigned yet.`
    : `${inForce} That is what the weights ask for.`;
}
