import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { dropDraft } from "../../ui/use-draft.ts";

type Decision = NonNullable<Experiment["decision"]>;

/** Stops the experiment with a decision, unless someone changed it meanwhile, and opens its report. */
export function useDecide({ id, name, version }: Experiment, draftKey: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (decision: Decision) =>
      unwrap(
        api.PUT("/v1/experiments/{id}", {
          params: { path: { id } },
          headers: { "If-Match": `"${version}"` },
          body: { status: "stopped", decision },
        }),
      ),
    onSuccess: async () => {
      dropDraft(draftKey);
      await Promise.all([
        cache.invalidateQueries({ queryKey: ["experiment", id] }),
        cache.invalidateQueries({ queryKey: ["overview"] }),
      ]);
      announce(`${name} is stopped, and the decision is recorded.`);
      await navigate({ to: "/experiments/$id/report", params: { id } });
    },
  });
}
