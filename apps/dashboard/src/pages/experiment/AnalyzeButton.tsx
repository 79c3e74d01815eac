import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import { announce } from "../../ui/announce.ts";
import { Button, type ButtonLook } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";

interface AnalyzeButtonProps {
  readonly id: string;
  /** A past night to run again; absent: a preliminary analysis. */
  readonly day?: string;
  readonly children?: ReactNode;
  readonly look?: ButtonLook;
}

/** Starts an analysis. It takes seconds, and all such buttons of the experiment wait. */
export function AnalyzeButton({ id, day, children = "Analyze now", look = "plain" }: AnalyzeButtonProps) {
  const { mutate, error } = useAnalyze(id, day);
  const isPending = useIsMutating({ mutationKey: ["analyze", id] }) > 0;
  return (
    <>
      <Button look={look} onPress={() => mutate()} isPending={isPending}>
        {isPending ? "Analyzing…" : children}
      </Button>
      {error ? <ProblemNotice problem={error} /> : null}
    </>
  );
}

/** Runs an analysis and shows it when it is done. */
function useAnalyze(id: string, day: string | undefined) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { id } };
  return useMutation({
    mutationKey: ["analyze", id],
    mutationFn: () =>
      unwrap(
        day === undefined
          ? api.POST("/v1/experiments/{id}/analyze", { params })
          : api.POST("/v1/experiments/{id}/runs", { params, body: { day } }),
      ),
    onSuccess: async (results) => {
      cache.setQueryData(queries.results(id, results.computed_for).queryKey, results);
      await navigate({ to: "/experiments/$id", params: { id }, search: { run: results.computed_for } });
      await cache.invalidateQueries({ queryKey: ["experiment", id] });
      cache.invalidateQueries({ queryKey: ["overview"] });
      announce(
        day === undefined
          ? "The preliminary analysis is done."
          : `The night was run again: revision ${results.revision}.`,
      );
    },
  });
}
