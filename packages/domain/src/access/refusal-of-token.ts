import { roleAllows } from "./roles.ts";
import type { HeldToken } from "./service-token.ts";

/** Why a service token is refused. */
export type TokenRefusal = "expired" | "maker-gone" | "maker-lost-role";

/** Returns why the token is refused at `now`; null if it works. It never has more rights than its creator has now. */
export function refusalOfToken(
  { expiresAt, makerRole, role }: Pick<HeldToken, "expiresAt" | "makerRole" | "role">,
  now: number,
): TokenRefusal | null {
  if (now >= expiresAt) return "expired";
  if (makerRole === null) return "maker-gone";
  return roleAllows(makerRole, role) ? null : "maker-lost-role";
}
