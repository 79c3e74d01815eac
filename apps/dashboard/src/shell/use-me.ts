import { useSuspenseQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { WhoAmI } from "../api/types.ts";

/** Returns the signed-in person; pages inside the shell render only once it is loaded. */
export function useMe(): WhoAmI {
  return useSuspenseQuery(queries.whoami()).data;
}

/** Returns whether the person may manage keys, members and billing. */
export function isAdmin({ role }: WhoAmI): boolean {
  return role === "admin" || role === "owner";
}
