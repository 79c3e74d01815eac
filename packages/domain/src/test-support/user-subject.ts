import type { Subject } from "../experiment/unit.ts";

/** The unit of a user in an experiment on users. */
export function userSubject(userId: string): Subject {
  return { userId, unitId: userId };
}
