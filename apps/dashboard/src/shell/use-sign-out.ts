import { useMutation, useQueryClient } from "@tanstack/react-query";
import { connectionLost, toProblem } from "../api/problem.ts";
import { announce } from "../ui/announce.ts";
import { dropAllDrafts } from "../ui/use-draft.ts";

/** Ends the session and opens the sign-in. */
export function useSignOut() {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: endSession,
    onSuccess: () => {
      cache.clear();
      leave();
    },
    onError: (problem) => announce(`You are still signed in. ${problem.message}`),
  });
}

/** Opens the sign-in when the person of this tab has ended the session, and keeps none of their data for the next person. */
export function leave(): void {
  dropAllDrafts();
  location.assign("/sign-in");
}

/** The route is outside /v1, so no type describes it. */
async function endSession(): Promise<void> {
  const response = await fetch("/auth/sign-out", { method: "POST" }).catch(() => {
    throw connectionLost();
  });
  if (!response.ok) throw toProblem(response, await response.json().catch(() => null));
}
