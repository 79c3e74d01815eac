import { userDigest } from "@assay/bucketing/user-digest";
import type { ConfigExperiment, ConfigVariant } from "../config-snapshot.ts";
import { fieldsOf } from "../fields.ts";

/** Returns the variant that an experiment lists the user for, a switched-off one too; null: the user is not listed. */
export const qaVariantOf = (experiment: ConfigExperiment, user: string): ConfigVariant | null => {
  const { qa_users: listed, status, variants } = experiment;
  if (listed === undefined || status !== "running") return null;
  const position = fieldsOf(listed)[userDigest(experiment, user)];
  return variants.find((_, index) => index === position) ?? null;
};
