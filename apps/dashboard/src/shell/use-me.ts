import { useSuspenseQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { WhoAmI } from "../api/types.ts";

/** Returns who is signed in; pages inside the shell are shown only once that is known. */
export function useMe(): WhoAmI {
  return useSuspenseQuery(queries.whoami()).data;
}

/** Tells whether the person may rotate keys, invite members and pay. */
export function isAdmin({ role }: WhoAmI): boolean {
  return role === "admin" || role === "owner";
}
