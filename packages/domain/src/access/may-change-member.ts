import { type Role, roleAllows } from "./roles.ts";

/** A change of a member's role. */
export interface MemberChange {
  /** Null: not a member yet. */
  readonly from: Role | null;
  /** Null: removed. */
  readonly to: Role | null;
}

/** Returns whether `caller`, at least an admin, may make the change: no one can change, or grant, more rights than their own. */
export function mayChangeMember(caller: Role, { from, to }: MemberChange): boolean {
  return [from, to].every((role) => role === null || roleAllows(caller, role));
}
