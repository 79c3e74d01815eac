import type { Experiment } from "../../api/types.ts";
import { percent } from "../../format/numbers.ts";
import type { Change } from "./change-of.ts";

/** What a change means for users. */
export interface Consequence {
  readonly change: string;
  /** For users who have a variant. */
  readonly present: string;
  /** For new users. */
  readonly later: string;
}

export const NOBODY_YET = "No users have a variant yet.";
export const KEEP = "Keep their variant.";
export const NOTHING = "No change.";

/** Which users new weights can reach. */
export function whoFollows(base: Experiment, { coverage }: Change): Pick<Consequence, "present" | "later"> {
  if (base.status === "draft") return { present: NOBODY_YET, later: "All are split by the new weights." };
  const added = (coverage ?? 0) - takenShare(base);
  const later =
    added > 1e-9
      ? `Only the newly covered ${percent(added)} of all users are split by the new weights. Every other bucket may already hold a user and stays as it is.`
      : "Split as before. Every covered bucket may already hold a user, so the new weights apply only to traffic that you add by raising the share of traffic.";
  return { present: KEEP, later };
}

/** The share of all buckets that variants own now. */
function takenShare({ effective_allocation }: Experiment): number {
  return Object.values(effective_allocation).reduce((sum, share) => sum + share, 0);
}
