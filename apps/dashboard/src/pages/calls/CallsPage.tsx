import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { queries } from "../../api/queries.ts";
import type { ExperimentOverview } from "../../api/types.ts";
import { STATES } from "../../format/states.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Empty, Page } from "../../ui/Page.tsx";
import { CallBrowser } from "./CallBrowser.tsx";
import type { CallSearch } from "./call-search.ts";

/** The model calls of the chosen experiment; the most recently active one by default. */
export default function CallsPage() {
  const overview = useQuery(queries.overview());
  return (
    <Page
      title="Calls"
      lead="Prompts, answers, latency and cost of each call. For reading, not for decisions."
    >
      <Loaded query={overview}>{({ items }) => <CallsOfOne experiments={items} />}</Loaded>
    </Page>
  );
}

function CallsOfOne({ experiments }: { readonly experiments: readonly ExperimentOverview[] }) {
  const search: CallSearch = useSearch({ from: "/shell/calls" });
  const navigate = useNavigate({ from: "/calls" });
  const sorted = experiments.toSorted((a, b) => recency(b).localeCompare(recency(a)));
  const chosen = sorted.find(({ id }) => id === search.experiment) ?? sorted[0];
  if (chosen === undefined) return <NoExperiments />;
  const onSearch = (change: CallSearch, how: "push" | "replace") =>
    navigate({ search: (before) => ({ ...before, ...change }), replace: how === "replace" });
  return (
    <>
      <div className="calls-experiment">
        <SelectField
          label="Experiment"
          options={sorted.map(({ id, name, state }) => ({
            value: id,
            label: name,
            detail: STATES[state].word,
          }))}
          value={chosen.id}
          // Filters do not carry over to another experiment.
          onChange={(experiment) => navigate({ search: { experiment } })}
        />
      </div>
      <CallBrowser key={chosen.id} experimentId={chosen.id} search={search} onSearch={onSearch} />
    </>
  );
}

function NoExperiments() {
  return (
    <Empty
      title="No experiments yet"
      actions={
        <LinkButton look="primary" to="/experiments/new">
          New experiment
        </LinkButton>
      }
    >
      <p>Calls belong to an experiment. Create one, then send the calls of its users.</p>
    </Empty>
  );
}

/** The day of the last exposure, else of the last change. */
function recency({ last_exposure_on, updated_at }: ExperimentOverview): string {
  return last_exposure_on === null ? updated_at.slice(0, 10) : last_exposure_on;
}
