import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { FormProvider } from "react-hook-form";
import { putMetric, queries } from "../../api/queries.ts";
import type { MetricDefinition } from "../../api/types.ts";
import { announce } from "../../ui/announce.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { dropDraft } from "../../ui/use-draft.ts";
import { Direction, Margin, MetricDetails } from "../experiment-form/MetricCard.tsx";
import { useExperimentForm } from "../experiment-form/use-experiment-form.ts";
import type { CatalogueEntry } from "./find-metrics.ts";
import { MetricFacts } from "./MetricFacts.tsx";
import {
  checkMetricForm,
  editedMetric,
  METRIC_POINTER,
  metricFormOf,
  reachInWords,
} from "./shared-metric.ts";
import "../experiment-form/experiment-form.css";
import "./metrics.css";

/** A metric that experiments share: its definition, where it is used, and its form. */
export default function SharedMetricPage() {
  const { name } = useParams({ from: "/shell/catalogue/$name" });
  const metric = useQuery(queries.metric(name));
  return (
    <Page
      title={name}
      lead="A shared metric. A change reaches every draft and running experiment that uses it."
      actions={<LinkButton to="/catalogue">All metrics</LinkButton>}
    >
      <Loaded query={metric}>
        {(entry) => (
          <>
            <Panel title="Definition">
              <MetricFacts entry={entry} />
            </Panel>
            {/* What was saved starts the next edit. */}
            <MetricForm key={JSON.stringify(entry.definition)} entry={entry} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function MetricForm({ entry }: { readonly entry: CatalogueEntry }) {
  const { definition } = entry;
  const draftKey = `metric-${definition.name}-${definition.metric_version}`;
  const initial = () => metricFormOf(definition);
  const { form, place, submit, showFaults } = useExperimentForm(draftKey, initial, checkMetricForm);
  const put = useSave(draftKey);
  const values = form.watch();
  const [metric] = values.metrics;
  const edited = editedMetric(definition, values);
  if (metric === undefined) return null;
  const save = async () => {
    try {
      await submit(async () => {
        if (edited !== null) await put.mutateAsync(edited);
      });
    } catch (error) {
      showFaults(error, METRIC_POINTER);
    }
  };
  return (
    <FormProvider {...form}>
      <Panel title="Edit">
        <div ref={place}>
          <div className="metric-fields">
            <Direction index={0} />
            <Margin index={0} metric={metric} />
          </div>
          <MetricDetails index={0} metric={metric} />
        </div>
        {edited === null ? null : <Reach entry={entry} edited={edited} />}
        {put.error ? <ProblemNotice problem={put.error} /> : null}
        <div className="row">
          <Button look="primary" isDisabled={edited === null} isPending={put.isPending} onPress={save}>
            Save for all experiments
          </Button>
        </div>
      </Panel>
    </FormProvider>
  );
}

function Reach({ entry, edited }: { readonly entry: CatalogueEntry; readonly edited: MetricDefinition }) {
  return (
    <Notice tone="info" role="status" title="What saving does">
      {reachInWords(entry, edited).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  );
}

function useSave(draftKey: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: putMetric,
    onSuccess: async ({ definition }) => {
      dropDraft(draftKey);
      announce(`${definition.name} is saved.`);
      await Promise.all(
        ["metrics", "experiment", "overview"].map((key) => cache.invalidateQueries({ queryKey: [key] })),
      );
    },
  });
}
