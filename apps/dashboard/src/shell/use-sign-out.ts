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
      dropAllDrafts();
      location.assign("/sign-in");
    },
    onError: (problem) => announce(`You are still signed in. ${problem.message}`),
  });
}

/** The route is outside /v1, so no type describes it. */
async function endSession(): Promise<void> {
  const response = await fetch("/auth/sign-out", { method: "POST" }).catch(() => {
    throw connectionLost();
  });
  if (!response.ok) throw toProblem(response, await response.json().catch(() => null));
}
