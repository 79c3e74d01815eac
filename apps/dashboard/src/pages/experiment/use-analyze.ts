import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { announce } from "../../ui/announce.ts";

/** Runs a preliminary analysis and shows it when it is done. */
export function useAnalyze(id: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationKey: ["analyze", id],
    mutationFn: () => unwrap(api.POST("/v1/experiments/{id}/analyze", { params: { path: { id } } })),
    onSuccess: async (results) => {
      cache.setQueryData(queries.results(id, results.computed_for).queryKey, results);
      await navigate({ to: "/experiments/$id", params: { id }, search: { run: results.computed_for } });
      await cache.invalidateQueries({ queryKey: ["experiment", id] });
      cache.invalidateQueries({ queryKey: ["overview"] });
      announce("The preliminary analysis is done.");
    },
  });
}
