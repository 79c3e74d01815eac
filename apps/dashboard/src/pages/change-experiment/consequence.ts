import type { Experiment } from "../../api/types.ts";
import { percent } from "../../format/numbers.ts";
import type { Change } from "./change-of.ts";

/** What one change means for users. */
export interface Consequence {
  readonly change: string;
  /** For those who have a variant. */
  readonly present: string;
  /** For those who come later. */
  readonly later: string;
}

export const NOBODY_YET = "Nobody has a variant yet.";
export const KEEP = "Keep their variant, for ever.";
export const NOTHING = "Nothing changes for them.";

/** Which users can follow new weights at all. */
export function whoFollows(base: Experiment, { coverage }: Change): Pick<Consequence, "present" | "later"> {
  if (base.status === "draft") return { present: NOBODY_YET, later: "All follow the new weights." };
  const added = (coverage ?? 0) - takenShare(base);
  const later =
    added > 1e-9
      ? `Only the newly covered ${percent(added)} of all users follow the new weights. Every other place may hold a user already and stays as it is.`
      : "As before: every covered place may hold a user already, so nobody can follow the new weights. They reach only traffic that you add by raising the share of traffic.";
  return { present: KEEP, later };
}

/** The share of all buckets that variants own now. */
function takenShare({ effective_allocation }: Experiment): number {
  return Object.values(effective_allocation).reduce((sum, share) => sum + share, 0);
}
