import { findVariant, userDigest } from "@assay/bucketing";
import type { ConfigExperiment, ConfigVariant } from "./config-snapshot.ts";
import { isInteger } from "./fields.ts";

/**
 * Returns the variant for which an experiment lists the user as a QA user, even if it is switched off. Otherwise returns the variant
 * of the unit's bucket; the unit is the user unless the experiment assigns something else. Null for control behavior.
 */
export function findVariantOf(experiment: ConfigExperiment, user: string, unit = user): ConfigVariant | null {
  const position = experiment.qa_users?.[userDigest(experiment, user)];
  return (isInteger(position) && experiment.variants[position]) || findVariant(experiment, unit);
}
