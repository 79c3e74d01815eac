import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";

interface WithExperiment {
  readonly experiment: Pick<ExperimentOverview, "id" | "name" | "version" | "status" | "is_demo">;
}

/** Archives a draft or a stopped experiment, brings an archived one back, and deletes a draft or an archived one. */
export function LifeActions({ experiment }: WithExperiment) {
  const me = useMe();
  // A shipped experiment is in use.
  if (experiment.is_demo || experiment.status === "shipped") return null;
  return (
    <>
      <ArchiveButton experiment={experiment} />
      {experiment.status !== "stopped" && isAdmin(me) ? <DeleteButton experiment={experiment} /> : null}
    </>
  );
}

function ArchiveButton({ experiment: { id, name, version, status } }: WithExperiment) {
  const cache = useQueryClient();
  const isArchived = status === "archived";
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => putExperiment({ id, version }, { status: isArchived ? "stopped" : "archived" }),
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      announce(isArchived ? `${name} is back in the list, stopped.` : `${name} is archived.`);
    },
  });
  return (
    <>
      <Button onPress={() => mutate()} isPending={isPending}>
        {isArchived ? "Unarchive" : "Archive"}
      </Button>
      {error ? <ProblemNotice problem={error} /> : null}
    </>
  );
}

function DeleteButton({ experiment: { id, name } }: WithExperiment) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete…"
      look="danger"
      title={`Delete ${name}?`}
      verb="Delete it for good"
      run={() => unwrap(api.DELETE("/v1/experiments/{id}", { params: { path: { id } } }))}
      onDone={async () => {
        // First away from the page, which would read the experiment again.
        await navigate({ to: "/" });
        cache.removeQueries({ queryKey: ["experiment", id] });
        await cache.invalidateQueries({ queryKey: ["overview"] });
        announce(`Deleted ${name}.`);
      }}
    >
      <p>Its versions, results, labels and events are deleted. This cannot be undone.</p>
      <p>Its audit entries stay, and events that were counted this month stay counted.</p>
    </ConfirmButton>
  );
}
