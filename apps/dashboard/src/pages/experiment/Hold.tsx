import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries, refreshExperiment } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { holdsLeftInWords, MAX_HOLDS } from "../../format/holds.ts";
import { utc } from "../../format/times.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { TextArea } from "../../ui/Field.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";

interface WithOverview {
  readonly overview: Pick<ExperimentOverview, "id" | "name" | "state" | "is_demo">;
}

/** Holds a running experiment, after asking why. */
export function HoldButton({ overview: { id, name, state, is_demo } }: WithOverview) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState("");
  const { data: experiment } = useQuery(queries.experiment(id));
  const hold = useHoldChange(id, `${name} is held: nobody gets a variant.`, () =>
    unwrap(
      api.POST("/v1/experiments/{id}/hold", {
        params: { path: { id } },
        body: { reason: reason.trim() || null },
      }),
    ),
  );
  // Another system's flag gives the variants, and no application requests the demo's.
  if (state === "held" || is_demo || experiment === undefined || experiment.flag_key) return null;
  const next = experiment.holds.length + 1;
  const warning = holdsLeftInWords(next);
  return (
    <>
      <Button onPress={() => setOpen(true)}>Hold…</Button>
      <ConfirmDialog
        title={`Hold ${name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        verb="Hold it now"
        isPending={hold.isPending}
        problem={hold.error}
        onConfirm={() => hold.mutate(undefined, { onSuccess: () => setOpen(false) })}
      >
        <p>
          Everybody gets control behavior from the next config poll on. Assignments are kept, and{" "}
          {next < MAX_HOLDS
            ? "you can resume at any time. "
            : "only stopping the experiment ends this hold. "}
          Results leave out what happens during the hold.
        </p>
        {warning === null ? null : <p>{warning}</p>}
        <TextArea label="Why (optional)" value={reason} onChange={setReason} maxLength={1_000} rows={2} />
      </ConfirmDialog>
    </>
  );
}

/** Shows since when and why an experiment is held, with a button to resume it. Shows nothing if it is not held. */
export function HoldNotice({ overview: { id, name, state } }: WithOverview) {
  const { data: experiment } = useQuery(queries.experiment(id));
  const resume = useHoldChange(id, `${name} is resumed: users get their variants again.`, () =>
    unwrap(api.POST("/v1/experiments/{id}/resume", { params: { path: { id } } })),
  );
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

function useHoldChange(id: string, done: string, change: () => Promise<unknown>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await refreshExperiment(cache, id);
      announce(done);
    },
  });
}
