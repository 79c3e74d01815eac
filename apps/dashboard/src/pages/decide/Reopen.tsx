import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Panel } from "../../ui/Page.tsx";
import { consequences } from "../change-experiment/consequences.ts";

/** Resumes a stopped experiment after its consequences are shown. */
export function Reopen({ experiment }: { readonly experiment: Experiment }) {
  const { id, name, version } = experiment;
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const reopen = useMutation({
    mutationFn: () => putExperiment({ id, version }, { status: "running" }),
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      setOpen(false);
      announce(`${name} is running again.`);
    },
  });
  return (
    <Panel title="Resume">
      <p>Stopped too early, or by mistake? The experiment can continue where it stopped.</p>
      <Button onPress={() => setOpen(true)}>Resume…</Button>
      <ConfirmDialog
        title={`Resume ${name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Resume it"
        look="primary"
        isPending={reopen.isPending}
        problem={reopen.error}
        onConfirm={() => reopen.mutate()}
      >
        {consequences(experiment, { status: "running" }).map(({ change, present, later }) => (
          <div key={change}>
            <p>{change}.</p>
            <p>Users with a variant: {present}</p>
            <p>New users: {later}</p>
          </div>
        ))}
      </ConfirmDialog>
    </Panel>
  );
}
