import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment, MetricDefinition, Wire } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { armsOf } from "../../../charts/arms.ts";
import { isJudged } from "../../../format/metric-words.ts";
import { count, counted } from "../../../format/numbers.ts";
import { manyOf } from "../../../format/unit-words.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";
import { AnalyzeButton } from "../AnalyzeButton.tsx";
import "./results.css";

/** Contract: evaluated events that every variant needs for a nightly row, from at least 20 units. */
const NEEDED = 200;

/** What is missing for results, by metric, and when the next run starts. */
export function CollectingPanel({ experiment }: { readonly experiment: Experiment }) {
  const { id, metrics, unit = "user" } = experiment;
  const live = useQuery({ ...queries.live(id), refetchInterval: 10_000 });
  if (metrics.length === 0) return <NoMetrics experiment={experiment} />;
  return (
    <Panel title="Collecting" actions={<AnalyzeButton id={id}>Run a preliminary analysis</AnalyzeButton>}>
      <p>
        A metric appears after the nightly run once every variant has {NEEDED} evaluated events from at least
        20 {manyOf(unit)}. <NextRun id={id} /> For an early look, run a preliminary analysis: it needs less
        data and does not replace the nightly run. Judges score a day's answers after the end of the day
        (UTC).
      </p>
      <Loaded query={live}>{(stats) => <Collected experiment={experiment} stats={stats} />}</Loaded>
    </Panel>
  );
}

function NextRun({ id }: { readonly id: string }) {
  const { data: runs } = useQuery(queries.nightlyRuns(id));
  if (!runs?.next_run_at) return null;
  return (
    <>
      Next run: <Time at={runs.next_run_at} /> (<Time at={runs.next_run_at} isRelative />
      ).
    </>
  );
}

function Collected({
  experiment,
  stats,
}: {
  readonly experiment: Experiment;
  readonly stats: Wire<"LiveStats">;
}) {
  const arms = armsOf(experiment);
  const judged = useJudged(experiment);
  const eventsOf = ({ name }: MetricDefinition, arm: string) =>
    judged.get(name)?.arms[arm]?.scored ?? stats.evaluated_events[name]?.[arm] ?? 0;
  return (
    <Table
      caption="Evaluated events so far (judged answers for judged metrics)"
      narrow="stacks"
      rows={experiment.metrics}
      rowKey={({ name }) => name}
      columns={[
        {
          key: "metric",
          title: "Metric",
          cell: ({ name }) => (
            <span>
              {name}
              <JudgeState judged={judged.get(name)} />
            </span>
          ),
        },
        ...arms.keys.map((arm) => ({
          key: arm,
          title: <ArmLabel name={arm} color={arms.colors.get(arm)} />,
          cell: (metric: MetricDefinition) => <Amount events={eventsOf(metric, arm)} arm={arm} />,
        })),
      ]}
    />
  );
}

type JudgedMetric = Wire<"JudgesOverview">["items"][number];

/** The judged metrics of the experiment; queried only if there are any. */
function useJudged({ id, metrics }: Experiment): ReadonlyMap<string, JudgedMetric> {
  const { data } = useQuery({
    ...queries.judges(),
    enabled: metrics.some(isJudged),
    refetchInterval: 10_000,
  });
  const own = (data?.items ?? []).filter(({ experiment_id: of }) => of === id);
  return new Map(own.map((item) => [item.metric, item]));
}

/** Why a judged metric collects nothing, or its backlog. */
function JudgeState({ judged }: { readonly judged: JudgedMetric | undefined }) {
  if (judged === undefined) return null;
  const { state, detail, backlog } = judged;
  if (state === "judging" && backlog === 0) return null;
  const words = state === "judging" ? `${counted(backlog, "answer")} waiting for the judge.` : detail;
  return (
    <small className="results-judge">
      {words} <Link to="/judges">Judges</Link>
    </small>
  );
}

function Amount({ events, arm }: { readonly events: number; readonly arm: string }) {
  const share = Math.min(1, events / NEEDED);
  return (
    <span className="results-collected">
      <span>
        <span className="results-collected-arm">{arm}: </span>
        {share === 1 ? `${count(events)} ✓` : `${count(events)} of ${NEEDED}`}
      </span>
      <span className="results-collected-track" aria-hidden="true">
        <span className="results-collected-fill" style={{ width: `${100 * share}%` }} />
      </span>
    </span>
  );
}

function NoMetrics({ experiment: { id, status } }: { readonly experiment: Experiment }) {
  const title = "Nothing to compare: no metrics are defined";
  // They cannot be changed any more.
  if (status === "shipped" || status === "archived") return <Notice tone="warn" title={title} />;
  return (
    <Notice
      tone="warn"
      title={title}
      actions={
        <LinkButton look="primary" to="/experiments/$id/change" params={{ id }}>
          Add a metric
        </LinkButton>
      }
    >
      <p>Users are already counted. A metric that you add now is computed over all events since the start.</p>
    </Notice>
  );
}
