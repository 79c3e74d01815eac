import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Panel } from "../../ui/Page.tsx";
import { consequences } from "../change-experiment/consequences.ts";

/** Lets a stopped experiment run again, once its consequences are read. */
export function Reopen({ experiment }: { readonly experiment: Experiment }) {
  const { id, name, version } = experiment;
  const cache = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const reopen = useMutation({
    mutationFn: () =>
      unwrap(
        api.PUT("/v1/experiments/{id}", {
          params: { path: { id } },
          headers: { "If-Match": `"${version}"` },
          body: { status: "running" },
        }),
      ),
    onSuccess: async () => {
      await Promise.all([
        cache.invalidateQueries({ queryKey: ["experiment", id] }),
        cache.invalidateQueries({ queryKey: ["overview"] }),
      ]);
      setOpen(false);
      announce(`${name} runs again.`);
    },
  });
  return (
    <Panel title="Run it again">
      <p>Stopped too early, or by mistake? It can go on where it stopped.</p>
      <Button onPress={() => setOpen(true)}>Run it again…</Button>
      <ConfirmDialog
        title={`Run ${name} again?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Run it again"
        look="primary"
        isPending={reopen.isPending}
        problem={reopen.error}
        onConfirm={() => reopen.mutate()}
      >
        {consequences(experiment, { status: "running" }).map(({ change, present, later }) => (
          <div key={change}>
            <p>{change}.</p>
            <p>Users who had a variant: {present}</p>
            <p>Users who come later: {later}</p>
          </div>
        ))}
      </ConfirmDialog>
    </Panel>
  );
}
