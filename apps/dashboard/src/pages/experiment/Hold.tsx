import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries, refreshExperiment } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { holdsLeftInWords, MAX_HOLDS } from "../../format/holds.ts";
import { utc } from "../../format/times.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { TextArea } from "../../ui/Field.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";

interface WithOverview {
  readonly overview: Pick<ExperimentOverview, "id" | "name" | "state" | "is_demo">;
}

/** Holds a running experiment, after asking why. */
export function HoldButton({ overview: { id, name, state, is_demo } }: WithOverview) {
  const cache = useQueryClient();
  const [reason, setReason] = useState("");
  const { data: experiment } = useQuery(queries.experiment(id));
  // Another system's flag gives the variants, and no application requests the demo's.
  if (state === "held" || is_demo || experiment === undefined || experiment.flag_key) return null;
  const next = experiment.holds.length + 1;
  const warning = holdsLeftInWords(next);
  return (
    <ConfirmButton
      label="Hold…"
      title={`Hold ${name}?`}
      verb="Hold it now"
      run={() =>
        unwrap(
          api.POST("/v1/experiments/{id}/hold", {
            params: { path: { id } },
            body: { reason: reason.trim() || null },
          }),
        )
      }
      onDone={async () => {
        await refreshExperiment(cache, id);
        announce(`${name} is held: nobody gets a variant.`);
      }}
    >
      <p>
        Everybody gets control behavior from the next config poll on. Assignments are kept, and{" "}
        {next < MAX_HOLDS ? "you can resume at any time. " : "only stopping the experiment ends this hold. "}
        Results leave out what happens during the hold.
      </p>
      {warning === null ? null : <p>{warning}</p>}
      <TextArea label="Why (optional)" value={reason} onChange={setReason} maxLength={1_000} rows={2} />
    </ConfirmButton>
  );
}

/** Shows since when and why an experiment is held, with a button to resume it. Shows nothing if it is not held. */
export function HoldNotice({ overview: { id, name, state } }: WithOverview) {
  const cache = useQueryClient();
  const { data: experiment } = useQuery(queries.experiment(id));
  const resume = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/experiments/{id}/resume", { params: { path: { id } } })),
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      announce(`${name} is resumed: users get their variants again.`);
    },
  });
  const hold = experiment?.holds.at(-1);
  if (state !== "held" || hold === undefined) return null;
  const number = experiment?.holds.length ?? 0;
  const warning = holdsLeftInWords(number);
  const by = hold.guardrail === null ? "" : ` by the guardrail ${hold.guardrail}`;
  return (
    <Notice
      tone="bad"
      title={`Held since ${utc(hold.from)}${by}`}
      actions={
        number >= MAX_HOLDS ? null : (
          <Button look="primary" onPress={() => resume.mutate()} isPending={resume.isPending}>
            Resume
          </Button>
        )
      }
    >
      {hold.reason === null ? null : <p>{hold.reason}</p>}
      <p>Nobody gets a variant. Assignments are kept, and results leave out what happens during the hold.</p>
      {warning === null ? null : <p>{warning}</p>}
      {resume.error ? <ProblemNotice problem={resume.error} /> : null}
    </Notice>
  );
}
