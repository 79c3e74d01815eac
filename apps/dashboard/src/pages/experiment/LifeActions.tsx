import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
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
  const [isOpen, setOpen] = useState(false);
  const deletion = useDelete(id, name);
  return (
    <>
      <Button look="danger" onPress={() => setOpen(true)}>
        Delete…
      </Button>
      <ConfirmDialog
        title={`Delete ${name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Delete it for good"
        isPending={deletion.isPending}
        problem={deletion.error}
        onConfirm={() => deletion.mutate()}
      >
        <p>Its versions, results, labels and events are deleted. This cannot be undone.</p>
        <p>Its audit entries stay, and events that were counted this month stay counted.</p>
      </ConfirmDialog>
    </>
  );
}

function useDelete(id: string, name: string) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => unwrap(api.DELETE("/v1/experiments/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      // First away from the page, which would read the experiment again.
      await navigate({ to: "/" });
      cache.removeQueries({ queryKey: ["experiment", id] });
      await cache.invalidateQueries({ queryKey: ["overview"] });
      announce(`Deleted ${name}.`);
    },
  });
}
