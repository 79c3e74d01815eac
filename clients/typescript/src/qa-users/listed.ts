import { userDigest } from "@assay/bucketing/user-digest";
import type { ConfigExperiment, ConfigVariant } from "../config-snapshot.ts";
import { fieldsOf } from "../fields.ts";

/**
 * Returns the variant for which an experiment lists the user, even a switched-off one; null when the user is not
 * listed.
 */
export const qaVariantOf = (experiment: ConfigExperiment, user: string): ConfigVariant | null => {
  const { qa_users: listed, status, variants } = experiment;
  if (listed === undefined || status !== "running") return null;
  const position = fieldsOf(listed)[userDigest(experiment, user)];
  return variants.find((_, index) => index === position) ?? null;
};
