import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { count } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox, TextField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Table } from "../../ui/Table.tsx";
import { forecastText, neededText } from "./forecast-words.ts";
import { type Forecast, forecastQuery, ledgerQuery, type Rehearsal, startExperiment } from "./queries.ts";
import { metricTitle } from "./rehearsal-words.ts";

/** The forecast of an experiment with the arms, what it would need, and a button to start it. */
export function ForecastPanel({ rehearsal }: { readonly rehearsal: Rehearsal }) {
  const query = useQuery(forecastQuery(rehearsal.id));
  return (
    <Panel title="Forecast of an experiment">
      <Loaded query={query}>
        {(forecast) => (
          <>
            {[...Map.groupBy(forecast.rows, ({ treatment }) => treatment)].map(([treatment, rows]) => (
              <Rows key={treatment} treatment={treatment} rows={rows} />
            ))}
            <Notes forecast={forecast} />
            <Start rehearsal={rehearsal} forecast={forecast} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

interface RowsProps {
  readonly treatment: string;
  readonly rows: Forecast["rows"];
}

function Rows({ treatment, rows }: RowsProps) {
  return (
    <Table
      caption={`What an experiment would find for ${treatment}`}
      narrow="stacks"
      rows={rows}
      rowKey={({ metric }) => metric}
      columns={[
        { key: "metric", title: "Metric", cell: ({ metric }) => metricTitle(metric) },
        { key: "online", title: "Measured by", cell: ({ online_metric: name }) => name },
        { key: "effect", title: "Expected effect", cell: forecastText },
        { key: "needed", title: "Needed to find it", cell: ({ needed }) => neededText(needed) },
        {
          key: "worst",
          title: "Needed at the weak end of the interval",
          cell: ({ needed_at_worst: needed }) => neededText(needed),
        },
      ]}
    />
  );
}

/** What limits the forecast, each once. */
function Notes({ forecast: { rows, users_per_day: perDay } }: { readonly forecast: Forecast }) {
  const traffic =
    perDay === null
      ? "Users per day are unknown: the organization had no users recently."
      : `Days assume ${count(Math.round(perDay))} new users per day, as recently in the whole organization.`;
  const notes = [...new Set([traffic, ...rows.flatMap(({ notes: own }) => own)])];
  return (
    <ul className="muted">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

interface StartProps {
  readonly rehearsal: Rehearsal;
  readonly forecast: Forecast;
}

function Start({ rehearsal: { id, arms }, forecast }: StartProps) {
  const [name, setName] = useState("");
  const [treatments, setTreatments] = useState(forecast.treatments);
  const navigate = useNavigate();
  const cache = useQueryClient();
  const start = useMutation({
    mutationFn: () => startExperiment(id, { name: name.trim(), treatments: [...treatments] }),
    onSuccess: async ({ id: experiment }) => {
      void cache.invalidateQueries({ queryKey: ledgerQuery().queryKey });
      await navigate({ to: "/experiments/$id/setup", params: { id: experiment } });
    },
  });
  const [, ...others] = arms;
  return (
    <form
      className="rehearsal-form"
      aria-label="Create the experiment"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "" && treatments.length > 0) start.mutate();
      }}
    >
      <h3>Create the experiment</h3>
      <p className="muted">
        {`Control and the chosen arms become its variants. It is created as a draft${forecast.experiment_id === null ? "" : ", with the metrics of the experiment whose calls were rehearsed"}.`}
      </p>
      <fieldset className="row rehearsal-arms">
        <legend>Arms besides control</legend>
        {others.map(({ name: arm }) => (
          <Checkbox
            key={arm}
            isSelected={treatments.includes(arm)}
            onChange={(isOn) =>
              setTreatments((before) => (isOn ? [...before, arm] : before.filter((one) => one !== arm)))
            }
          >
            {arm}
          </Checkbox>
        ))}
      </fieldset>
      <TextField label="Name of the experiment" value={name} onChange={setName} maxLength={128} />
      <div>
        <Button
          type="submit"
          look="primary"
          isPending={start.isPending}
          isDisabled={name.trim() === "" || treatments.length === 0}
        >
          Create the draft
        </Button>
      </div>
      {start.error ? <ProblemNotice problem={start.error} /> : null}
    </form>
  );
}
