import { userDigest } from "@assay/bucketing";
import type { ExclusionMatch } from "../attribution/exclusions.ts";
import type { FieldFault } from "../problem.ts";
import type { Experiment, ExperimentConfig } from "./config.ts";

/**
 * Maximum number of QA users of an experiment: every client's config and every query of an analysis
 * carries them.
 */
export const MAX_QA_USERS = 100;

type Listing = Pick<ExperimentConfig, "qaUsers">;

/** Returns the variant of each QA user. */
export function variantsOfQaUsers({ qaUsers }: Listing): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(qaUsers).flatMap(([variant, userIds]) => userIds.map((userId) => [userId, variant])),
  );
}

/**
 * Returns exclusions for all events of an experiment's QA users, including events from before they were
 * listed.
 */
export function qaExclusions({ qaUsers }: Listing): readonly ExclusionMatch[] {
  const userIds = Object.values(qaUsers).flat();
  return userIds.length === 0 ? [] : [{ userIds }];
}

/**
 * Returns the index of each QA user's variant by the user's digest, because clients with the publishable key must not
 * read ids.
 */
export function qaDigests({
  id,
  config,
}: Pick<Experiment, "id"> & {
  readonly config: Listing & Pick<ExperimentConfig, "salt" | "variants">;
}): Readonly<Record<string, number>> {
  const { salt, variants } = config;
  const entries = [...variantsOfQaUsers(config)].map(([userId, variant]) => [
    userDigest({ salt, id }, userId),
    variants.findIndex(({ key }) => key === variant),
  ]);
  return Object.fromEntries(entries);
}

/** Lists broken rules of the QA users that a schema cannot express. */
export function checkQaUsers({ qaUsers, variants }: ExperimentConfig): readonly FieldFault[] {
  const keys = new Set(variants.map(({ key }) => key));
  const variantOf = new Map<string, string>();
  const faults: FieldFault[] = [];
  for (const [variant, userIds] of Object.entries(qaUsers)) {
    const pointer = `/qa_users/${variant.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (!keys.has(variant)) {
      const detail = `"${variant}" is not one of the variants: ${[...keys].join(", ")}.`;
      faults.push({ pointer, detail });
    }
    for (const [index, userId] of userIds.entries()) {
      const other = variantOf.get(userId);
      if (other !== undefined) {
        const detail = `"${userId}" is listed twice, here and under "${other}": a user gets one variant.`;
        faults.push({ pointer: `${pointer}/${index}`, detail });
      }
      variantOf.set(userId, variant);
    }
  }
  if (Object.values(qaUsers).flat().length > MAX_QA_USERS) {
    const detail = `An experiment has at most ${MAX_QA_USERS} QA users over all variants. For a larger group, run an experiment of its own.`;
    faults.push({ pointer: "/qa_users", detail });
  }
  return faults;
}
