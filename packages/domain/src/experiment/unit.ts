/** What an experiment assigns and analyzes: users, or single conversations or agent runs of users. */
export const EXPERIMENT_UNITS = ["user", "conversation", "run"] as const;
export type ExperimentUnit = (typeof EXPERIMENT_UNITS)[number];

/** Units of which a user can have several. */
export const SMALLER_UNITS = ["conversation", "run"] as const satisfies readonly ExperimentUnit[];
export type SmallerUnit = (typeof SMALLER_UNITS)[number];

/** What units are called in texts. */
export const UNIT_WORDS = {
  user: { one: "user", many: "users" },
  conversation: { one: "conversation", many: "conversations" },
  run: { one: "run", many: "runs" },
} as const satisfies Readonly<Record<ExperimentUnit, { readonly one: string; readonly many: string }>>;

/** One unit. */
export interface Subject {
  readonly userId: string;
  /** The input of its bucket: the id of the user, or of the user's conversation or run. */
  readonly unitId: string;
}

/** Returns the unit that a request or an event is about; null if it does not name one. */
export function subjectOf(unit: ExperimentUnit, userId: string, unitId: unknown): Subject | null {
  if (unit === "user") return { userId, unitId: userId };
  return typeof unitId === "string" && unitId !== "" ? { userId, unitId } : null;
}

/** Says what to do if the unit id is missing. */
export function unitMissing(unit: ExperimentUnit): string {
  return `unit_id is missing: this experiment assigns each ${unit}, so send the ${unit}'s id as unit_id, in addition to user_id.`;
}
