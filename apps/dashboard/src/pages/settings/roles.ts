import type { Role } from "./queries.ts";

export const ROLES: readonly Role[] = ["member", "admin", "owner"];

/** What each role may do; each includes the previous one. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  member: "Sees everything, creates and edits experiments, runs analyses.",
  admin: "Also manages keys, webhook secrets, prices, billing, members and invitations.",
  owner: "Also adds, changes and removes owners.",
};

/** Returns whether a person may change or remove another: only admins and owners, and nobody with more rights than their own. */
export function mayChange(mine: Role, theirs: Role): boolean {
  return mine !== "member" && ROLES.indexOf(mine) >= ROLES.indexOf(theirs);
}

/** Returns the roles that a person may give: none above their own. */
export function givableBy(mine: Role): readonly Role[] {
  return ROLES.slice(0, ROLES.indexOf(mine) + 1);
}
