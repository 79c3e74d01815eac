import { useQueryClient } from "@tanstack/react-query";
import { putExperiment, refreshExperiment } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Panel } from "../../ui/Page.tsx";
import { consequences } from "../change-experiment/consequences.ts";

/** Resumes a stopped experiment after its consequences are shown. */
export function Reopen({ experiment }: { readonly experiment: Experiment }) {
  const { id, name, version } = experiment;
  const cache = useQueryClient();
  return (
    <Panel title="Resume">
      <p>Stopped too early, or by mistake? The experiment can continue where it stopped.</p>
      <ConfirmButton
        label="Resume…"
        title={`Resume ${name}?`}
        verb="Resume it"
        verbLook="primary"
        run={() => putExperiment({ id, version }, { status: "running" })}
        onDone={async () => {
          await refreshExperiment(cache, id);
          announce(`${name} is running again.`);
        }}
      >
        {consequences(experiment, { status: "running" }).map(({ change, present, later }) => (
          <div key={change}>
            <p>{change}.</p>
            <p>Users with a variant: {present}</p>
            <p>New users: {later}</p>
          </div>
        ))}
      </ConfirmButton>
    </Panel>
  );
}
