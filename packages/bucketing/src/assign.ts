import { type BucketingInputs, bucketOf } from "./bucket.ts";
import { type CompiledBuckets, variantAt } from "./variant-at.ts";

export interface AssignableVariant {
  readonly key: string;
  /** True when absent. */
  readonly enabled?: boolean;
}

/** The part of an experiment that decides who gets which variant. */
export interface AssignableExperiment<Variant extends AssignableVariant = AssignableVariant>
  extends BucketingInputs {
  /** Only `running` assigns. */
  readonly status: string;
  readonly buckets: CompiledBuckets;
  /** In the order that the bucket map counts them. */
  readonly variants: readonly Variant[];
}

/**
 * Returns the user's variant, or null for control behavior: the experiment is not running, the user's bucket belongs
 * to nobody, or the variant is switched off.
 */
export function findVariant<Variant extends AssignableVariant>(
  experiment: AssignableExperiment<Variant>,
  userId: string,
): Variant | null {
  if (experiment.status !== "running") return null;
  const variant = experiment.variants[variantAt(experiment.buckets, bucketOf(experiment, userId))];
  return variant?.enabled === false ? null : (variant ?? null);
}

/** Returns the key of the variant that `findVariant` finds, or null. */
export function assignVariant(experiment: AssignableExperiment, userId: string): string | null {
  return findVariant(experiment, userId)?.key ?? null;
}
