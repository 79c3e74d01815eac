import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment, MetricDefinition, Wire } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { armsOf } from "../../../charts/arms.ts";
import { isJudged } from "../../../format/metric-words.ts";
import { count, counted } from "../../../format/numbers.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { Table } from "../../../ui/Table.tsx";
import { Time } from "../../../ui/Time.tsx";
import { AnalyseButton } from "../AnalyseButton.tsx";
import "./results.css";

/** Contract: a nightly row needs so many evaluated events in every variant, of twenty users at least. */
const NEEDED = 200;

/** What is still missing before there are results, metric by metric, and when the next run comes. */
export function CollectingPanel({ experiment }: { readonly experiment: Experiment }) {
  const { id, metrics } = experiment;
  const live = useQuery({ ...queries.live(id), refetchInterval: 10_000 });
  if (metrics.length === 0) return <NoMetrics id={id} />;
  return (
    <Panel title="Collecting" actions={<AnalyseButton id={id}>Run a preliminary analysis</AnalyseButton>}>
      <p>
        A metric appears after the nightly run once every variant has {NEEDED} evaluated events of it, from at
        least 20 users. <NextRun id={id} /> Want an early look? A preliminary analysis needs less, and does
        not replace the night's. A judge gets a day's answers once the day is over (UTC).
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
      caption="Evaluated events so far; of judged metrics, judged answers"
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

/** What judges did for the experiment so far, by metric; nothing is asked where no metric is judged. */
function useJudged({ id, metrics }: Experiment): ReadonlyMap<string, JudgedMetric> {
  const { data } = useQuery({
    ...queries.judges(),
    enabled: metrics.some(isJudged),
    refetchInterval: 10_000,
  });
  const own = (data?.items ?? []).filter(({ experiment_id: of }) => of === id);
  return new Map(own.map((item) => [item.metric, item]));
}

/** Why a judged metric collects nothing, or how many answers wait. */
function JudgeState({ judged }: { readonly judged: JudgedMetric | undefined }) {
  if (judged === undefined) return null;
  const { state, detail, backlog } = judged;
  if (state === "judging" && backlog === 0) return null;
  const words = state === "judging" ? `${counted(backlog, "answer")} wait for the judge.` : detail;
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

function NoMetrics({ id }: { readonly id: string }) {
  return (
    <Notice
      tone="warn"
      title="There is nothing to compare: no metric is defined"
      actions={
        <LinkButton look="primary" to="/experiments/$id/change" params={{ id }}>
          Add a metric
        </LinkButton>
      }
    >
      <p>Users are counted already; a metric added now is computed over all events since the start.</p>
    </Notice>
  );
}
