import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Controller, useForm } from "react-hook-form";
import { api, unwrap } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";
import { day } from "../../format/times.ts";
import { announce } from "../../ui/announce.ts";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/Field.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";

type Outcome = Wire<"PipelineRunReport">["runs"][number]["outcome"];

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  computed: "computed",
  withheld: "withheld: Data health stopped it",
  collecting: "collecting: not enough evaluated events yet",
  failed: "failed",
  "already-done": "already done",
  "running-elsewhere": "running in another process",
};

interface NightValues {
  readonly day: string;
}

/** Runs the nightly pipeline of a day for all orgs. */
export function PipelinePanel() {
  const cache = useQueryClient();
  const { control, handleSubmit } = useForm<NightValues>({ defaultValues: { day: "" } });
  const run = useMutation({
    mutationFn: (values: NightValues) =>
      unwrap(api.POST("/v1/admin/pipeline-runs", { body: values.day === "" ? {} : { day: values.day } })),
    onSuccess: async ({ runs }) => {
      announce(`Nightly run finished for ${counted(runs.length, "experiment")}.`);
      await cache.invalidateQueries();
    },
  });
  const fault = run.error instanceof Problem ? run.error.faults[0]?.detail : undefined;
  return (
    <Panel title="Run the nightly pipeline">
      <p>
        The pipeline runs every night and catches up on missed nights. Finished results never change; running
        a night again adds only what is missing. A day that is not over is analyzed up to now.
      </p>
      <form className="form" onSubmit={handleSubmit((values) => run.mutate(values))} noValidate>
        <Controller
          control={control}
          name="day"
          rules={{ pattern: { value: /^(\d{4}-\d{2}-\d{2})?$/, message: "Enter the day as YYYY-MM-DD." } }}
          render={({ field: { ref: _ref, ...field }, fieldState }) => (
            <TextField
              {...field}
              label="UTC day"
              placeholder="YYYY-MM-DD"
              hint="Empty: yesterday, the last full day."
              error={fieldState.error?.message ?? fault}
            />
          )}
        />
        {run.error && fault === undefined ? <ProblemNotice problem={run.error} /> : null}
        <div className="row">
          <Button type="submit" isPending={run.isPending}>
            Run the night
          </Button>
          {run.isPending ? <span className="muted">This can take minutes.</span> : null}
        </div>
      </form>
      {run.data ? <Report report={run.data} /> : null}
    </Panel>
  );
}

function Report({ report }: { readonly report: Wire<"PipelineRunReport"> }) {
  return (
    <Table
      caption={`Night of ${day(report.day)}`}
      narrow="stacks"
      rows={report.runs}
      rowKey={({ experiment_id: id }) => id}
      empty={
        <p role="status">
          Nothing to do for the night of {day(report.day)}: no experiment of any organization was running.
        </p>
      }
      columns={[
        { key: "name", title: "Experiment", cell: ({ name }) => name },
        { key: "outcome", title: "Outcome", cell: ({ outcome }) => OUTCOMES[outcome] },
        { key: "detail", title: "Why", cell: ({ detail }) => detail ?? "–" },
      ]}
    />
  );
}
