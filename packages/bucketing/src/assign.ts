import { type BucketingInputs, bucketOf } from "./bucket.ts";
import { type CompiledBuckets, variantAt } from "./variant-at.ts";

/** The part of an experiment that decides who gets which variant. */
export interface AssignableExperiment extends BucketingInputs {
  /** Only `running` assigns. */
  readonly status: string;
  readonly buckets: CompiledBuckets;
  /** In the order that the bucket map counts them; `enabled` is true when absent. */
  readonly variants: readonly { readonly key: string; readonly enabled?: boolean }[];
}

/**
 * Returns the key of the user's variant, or null for control behaviour: the experiment is not running,
 * the user's bucket belongs to nobody, or the variant is switched off.
 */
export function assignVariant(experiment: AssignableExperiment, userId: string): string | null {
  if (experiment.status !== "running") return null;
  const variant = experiment.variants[variantAt(experiment.buckets, bucketOf(experiment, userId))];
  return variant === undefined || variant.enabled === false ? null : variant.key;
}
