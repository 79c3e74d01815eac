import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Experiment } from "../../api/types.ts";
import { armsOf } from "../../charts/arms.ts";
import { counted } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Checkbox, NumberField, SelectField, TextArea, TextField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import {
  DRAWN_DAYS,
  drawBody,
  missing,
  type RehearsalValues,
  rehearsalBody,
  startValues,
} from "./new-rehearsal.ts";
import { datasetsQuery, rehearsalsQuery } from "./queries.ts";
import { sourceText } from "./rehearsal-words.ts";
import "./rehearsals.css";

const DRAWN = "drawn";

/** Starts a rehearsal of an experiment's variants, on its own calls or on a stored dataset. */
export default function NewRehearsalPage() {
  const { experiment: asked } = useSearch({ from: "/shell/rehearsals/new" });
  const [chosen, setChosen] = useState<string | null>(asked ?? null);
  const overview = useQuery(queries.overview());
  return (
    <Page title="New rehearsal" lead="No users are exposed: a judge compares the answers.">
      <Loaded query={overview}>
        {({ items }) => {
          const [first] = items;
          if (first === undefined)
            return (
              <Empty title="No experiment yet">
                <p>Create one, or load the demo: its variants are the arms, and its calls the inputs.</p>
              </Empty>
            );
          const id = chosen ?? first.id;
          return (
            <>
              <div className="rehearsal-form">
                <SelectField
                  label="Experiment"
                  value={id}
                  onChange={setChosen}
                  options={items.map(({ id: value, name }) => ({ value, label: name }))}
                />
              </div>
              <Variants key={id} id={id} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Variants({ id }: { readonly id: string }) {
  const experiment = useQuery(queries.experiment(id));
  return <Loaded query={experiment}>{(facts) => <Form key={facts.id} experiment={facts} />}</Loaded>;
}

function Form({ experiment }: { readonly experiment: Experiment }) {
  const [values, setValues] = useState<RehearsalValues>(() =>
    startValues(experiment.id, armsOf(experiment).keys),
  );
  const change = (part: Partial<RehearsalValues>) => setValues((before) => ({ ...before, ...part }));
  const start = useStart(experiment, (dataset) => change({ dataset }));
  const lack = missing(values);
  return (
    <form
      className="rehearsal-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (lack === null) start.mutate(values);
      }}
    >
      <Arms experiment={experiment} values={values} onChange={change} />
      <Inputs values={values} onChange={change} />
      <TextArea
        label="What makes an answer better"
        hint="The judge gets this rubric and sees each pair of answers in both orders, without knowing which arm gave which."
        placeholder="The answer solves the user's problem, is correct, and is no longer than necessary."
        value={values.rubric}
        onChange={(rubric) => change({ rubric })}
      />
      <div className="row">
        <NumberField
          label="Largest acceptable loss of preference"
          hint="From 0 to 1: 0.1 is 55 losses to 45 wins."
          value={values.margin}
          minValue={0.01}
          maxValue={1}
          step={0.01}
          onChange={(margin) => change({ margin })}
        />
        <NumberField
          label="Budget in US dollars"
          hint="No new request is made once it is spent."
          value={values.budgetUsd}
          minValue={0.01}
          step={0.01}
          onChange={(budgetUsd) => change({ budgetUsd })}
        />
      </div>
      {start.error ? <ProblemNotice problem={start.error} /> : null}
      {lack === null ? null : <p className="muted">{lack}</p>}
      <div>
        <Button type="submit" look="primary" isDisabled={lack !== null} isPending={start.isPending}>
          Start
        </Button>
      </div>
    </form>
  );
}

/** Draws inputs if none are chosen, starts, and opens the rehearsal. Drawn inputs stay chosen for a retry. */
function useStart({ name }: Experiment, onDrawn: (dataset: string) => void) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (values: RehearsalValues) => {
      const dataset = values.dataset === "" ? await drawn(values, name) : { id: values.dataset };
      onDrawn(dataset.id);
      return unwrap(api.POST("/v1/rehearsals", { body: rehearsalBody(values, dataset) }));
    },
    onSuccess: async ({ id }) => {
      await navigate({ to: "/rehearsals/$id", params: { id } });
    },
    onSettled: () =>
      Promise.all([cache.invalidateQueries(datasetsQuery()), cache.invalidateQueries(rehearsalsQuery())]),
  });
}

function drawn(values: RehearsalValues, experiment: string) {
  const body = drawBody(values, `${experiment} calls`.slice(0, 100), Date.now());
  return unwrap(api.POST("/v1/datasets", { body }));
}

interface PartProps {
  readonly values: RehearsalValues;
  readonly onChange: (part: Partial<RehearsalValues>) => void;
}

function Arms({ experiment, values, onChange }: PartProps & { readonly experiment: Experiment }) {
  const { keys } = armsOf(experiment);
  return (
    <Panel title="Arms">
      <div className="form">
        <p className="muted">The first is control; the others are compared with it.</p>
        {keys.map((key) => (
          <Checkbox
            key={key}
            isSelected={values.variants.includes(key)}
            onChange={(isIn) =>
              onChange({
                variants: keys.filter((one) => (one === key ? isIn : values.variants.includes(one))),
              })
            }
          >
            {key}
          </Checkbox>
        ))}
        <TextArea
          label="Prompt of a draft"
          hint="Optional: one more arm."
          value={values.draft}
          onChange={(draft) => onChange({ draft })}
          isCode
          rows={3}
        />
        <TextField
          label="Model of all arms"
          hint="Optional if every chosen variant names one in its variable “model”."
          value={values.model}
          onChange={(model) => onChange({ model })}
          autoComplete="off"
        />
      </div>
    </Panel>
  );
}

function Inputs({ values, onChange }: PartProps) {
  const datasets = useQuery(datasetsQuery());
  const drawn = {
    value: DRAWN,
    label: "Draw from the experiment's calls",
    detail: `From the last ${DRAWN_DAYS} days.`,
  };
  const stored = (datasets.data?.items ?? []).map((dataset) => ({
    value: dataset.id,
    label: `${dataset.name}, version ${dataset.version}`,
    detail: `${counted(dataset.items, "input")}, ${sourceText(dataset)}`,
  }));
  return (
    <Panel title="Inputs">
      <div className="form">
        <SelectField
          label="Inputs"
          value={values.dataset === "" ? DRAWN : values.dataset}
          onChange={(value) => onChange({ dataset: value === DRAWN ? "" : value })}
          options={[drawn, ...stored]}
        />
        {values.dataset === "" ? (
          <NumberField
            label="How many"
            value={values.inputs}
            minValue={40}
            maxValue={10_000}
            onChange={(inputs) => onChange({ inputs })}
          />
        ) : null}
      </div>
    </Panel>
  );
}
