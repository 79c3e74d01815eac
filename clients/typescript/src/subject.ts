/** What an experiment assigns instead of users. */
export type UnitKind = "conversation" | "run";

/** Whom to assign: a user and, for experiments that assign conversations or runs, the id of that unit. */
export interface Subject {
  readonly user: string;
  /** Ignored by experiments that assign users. */
  readonly unit?: string | undefined;
}

/** The unit ids that a context names. */
export type Units = { readonly [Kind in UnitKind]?: string | undefined };

/** Returns a subject's user. A text is itself the user's id. */
export function userOf(subject: string | Subject): string {
  return (subject as Subject)?.user ?? subject;
}
