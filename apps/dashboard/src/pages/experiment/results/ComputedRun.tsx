import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Experiment, ExperimentOverview, MetricResult, Results } from "../../../api/types.ts";
import { Panel } from "../../../ui/Page.tsx";
import { DecisionCard } from "./DecisionCard.tsx";
import { MetricDrawer } from "./drawer/MetricDrawer.tsx";
import { EffectModes, effectModeOf } from "./EffectModes.tsx";
import { MetricTable } from "./MetricTable.tsx";
import { RunFooter } from "./RunFooter.tsx";

const ROUTE = "/shell/experiments/$id/";

interface ComputedRunProps {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  readonly run: Results;
}

/** A run with results: the decision card, all comparisons, a drawer for each, and how it was computed. */
export function ComputedRun({ overview, experiment, run }: ComputedRunProps) {
  const { metric, effect } = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: "/experiments/$id/" });
  const mode = effectModeOf(effect);
  const opened = metric === undefined ? undefined : run.results[metric];
  const isLatest = overview.last_run?.computed_for === run.computed_for;
  const nameOf = (row: MetricResult) => (
    <Link
      from="/experiments/$id/"
      search={(search) => ({ ...search, metric: `${row.metric}::${row.treatment}` })}
      resetScroll={false}
    >
      {row.metric}
    </Link>
  );
  return (
    <>
      <DecisionCard experiment={experiment} state={isLatest ? overview.state : null} run={run} />
      <Panel
        title="Comparisons"
        actions={
          <EffectModes
            mode={mode}
            onChange={(next) =>
              navigate({ search: (search) => ({ ...search, effect: next }), resetScroll: false })
            }
          />
        }
      >
        <MetricTable experiment={experiment} rows={Object.values(run.results)} mode={mode} nameOf={nameOf} />
      </Panel>
      <RunFooter experiment={experiment} run={run} />
      {opened === undefined ? null : (
        <MetricDrawer
          experiment={experiment}
          row={opened}
          onClose={() => navigate({ search: ({ metric: _, ...search }) => search, resetScroll: false })}
        />
      )}
    </>
  );
}
