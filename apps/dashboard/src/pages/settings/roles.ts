import type { Role } from "./queries.ts";

export const ROLES: readonly Role[] = ["member", "admin", "owner"];

/** What each role may do, the next one always the former's and more. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  member: "Reads everything, creates and edits experiments, runs analyses.",
  admin: "Also keys, webhook secrets, prices, billing, members and invitations.",
  owner: "Also makes, changes and removes owners.",
};

/** Tells whether somebody of the role may change or remove somebody of the other: nobody with more rights than their own. */
export function mayChange(mine: Role, theirs: Role): boolean {
  return mine !== "member" && ROLES.indexOf(mine) >= ROLES.indexOf(theirs);
}

/** Returns the roles that somebody may give: none above their own. */
export function givableBy(mine: Role): readonly Role[] {
  return ROLES.slice(0, ROLES.indexOf(mine) + 1);
}
