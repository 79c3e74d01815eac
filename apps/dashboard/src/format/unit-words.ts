import type { Experiment } from "../api/types.ts";
import { counted } from "./numbers.ts";

export type Unit = NonNullable<Experiment["unit"]>;

/** The title of a column that counts units. */
export const UNIT_TITLES: Readonly<Record<Unit, string>> = {
  user: "Users",
  conversation: "Conversations",
  run: "Runs",
};

/** What several units are called within a sentence. */
export const manyOf = (unit: Unit): string => UNIT_TITLES[unit].toLowerCase();

/** Formats a count of units, and of their users if that is different: "12 conversations of 5 users". */
export function countedUnits(units: number, unit: Unit = "user", users?: number): string {
  const written = counted(units, unit);
  return unit === "user" || users === undefined ? written : `${written} of ${counted(users, "user")}`;
}
