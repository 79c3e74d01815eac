import { findVariant, userDigest } from "@assay/bucketing";
import type { ConfigExperiment, ConfigVariant } from "./config-snapshot.ts";
import { isInteger } from "./fields.ts";

/**
 * Returns the variant for which an experiment lists the user as a QA user, even a switched-off one, or else the variant of the bucket
 * of the unit, which is the user unless the experiment assigns by something else; null for control behavior.
 */
export function findVariantOf(experiment: ConfigExperiment, user: string, unit = user): ConfigVariant | null {
  const position = experiment.qa_users?.[userDigest(experiment, user)];
  return (isInteger(position) && experiment.variants[position]) || findVariant(experiment, unit);
}
