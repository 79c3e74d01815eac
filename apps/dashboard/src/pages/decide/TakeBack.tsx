import { useMutation, useQueryClient } from "@tanstack/react-query";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";

/** Stops handing out the shipped variant. */
export function TakeBack({ experiment }: { readonly experiment: Experiment }) {
  const { id, name, version, shipped_variant: shipped } = experiment;
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => putExperiment({ id, version }, { status: "stopped" }),
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      announce(`${shipped} of ${name} is taken back. The experiment is stopped.`);
    },
  });
  return (
    <Panel title="Take it back">
      <p>
        From your application's next config poll on, nobody gets a variant: your code gets null and behaves as
        with {experiment.control}. The experiment is then stopped. Its decision is kept, and you can ship
        again or resume it.
      </p>
      {error ? <ProblemNotice problem={error} /> : null}
      <Button onPress={() => mutate()} isPending={isPending}>
        Take {shipped} back
      </Button>
    </Panel>
  );
}
