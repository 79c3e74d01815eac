import { type Role, roleAllows } from "./roles.ts";

/** Whom somebody would change, and into what. */
export interface MemberChange {
  /** Null: no member yet. */
  readonly from: Role | null;
  /** Null: removed. */
  readonly to: Role | null;
}

/** Returns whether `caller`, an admin at least, may do it: nobody touches or makes somebody with more rights than their own. */
export function mayChangeMember(caller: Role, { from, to }: MemberChange): boolean {
  return [from, to].every((role) => role === null || roleAllows(caller, role));
}
