import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { dropDraft } from "../../ui/use-draft.ts";
import type { Change } from "./change-of.ts";

/** Saves a change as the next version unless someone saved one since; then fetches the newer one. */
export function useChange({ id, version }: Experiment, draftKey: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (body: Change) =>
      unwrap(
        api.PUT("/v1/experiments/{id}", {
          params: { path: { id } },
          headers: { "If-Match": `"${version}"` },
          body,
        }),
      ),
    onSuccess: async (next) => {
      dropDraft(draftKey);
      announce(`Version ${next.version} is in force.`);
      await Promise.all([
        cache.invalidateQueries({ queryKey: ["experiment", id] }),
        cache.invalidateQueries({ queryKey: ["overview"] }),
      ]);
    },
    onError: (error) =>
      error instanceof Problem && error.kind === "version-mismatch"
        ? cache.invalidateQueries({ queryKey: ["experiment", id] })
        : undefined,
  });
}
