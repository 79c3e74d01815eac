import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { queries } from "../../../api/queries.ts";
import type { Experiment } from "../../../api/types.ts";
import { armsOf, useArmColors } from "../../../charts/arms.ts";
import { type Judge, SCALE_WORDS, scaleOf } from "../../../format/judge-words.ts";
import { isJudged } from "../../../format/metric-words.ts";
import { count } from "../../../format/numbers.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { LinkButton } from "../../../ui/Button.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Loaded } from "../../../ui/Loaded.tsx";
import { LongText } from "../../../ui/LongText.tsx";
import { Meter } from "../../../ui/Meter.tsx";
import { Empty, Page, Panel } from "../../../ui/Page.tsx";
import { type DrawnLabels, JUDGED_STATES, labelsMissing } from "../judge-words.ts";
import { OutboxNotice } from "../label/OutboxNotice.tsx";
import { type JudgedMetric, judgeQueries, POLL_MS } from "../queries.ts";
import { AgreementPanel } from "./AgreementPanel.tsx";
import { DisagreementsPanel } from "./DisagreementsPanel.tsx";
import { EffectPanel } from "./EffectPanel.tsx";
import { FailuresPanel } from "./FailuresPanel.tsx";
import "../judges.css";
import "./check.css";

/** How much a judge can be trusted: agreement with people, failures, and the effect on results. */
export default function CheckPage() {
  const { experimentId, metric } = useParams({ from: "/shell/judges/$experimentId/$metric" });
  const experiment = useQuery(queries.experiment(experimentId));
  return (
    <Loaded query={experiment} lines={10}>
      {(data) => <Check key={`${experimentId} ${metric}`} experiment={data} metric={metric} />}
    </Loaded>
  );
}

interface CheckProps {
  readonly experiment: Experiment;
  readonly metric: string;
}

function Check({ experiment, metric }: CheckProps) {
  const definition = experiment.metrics.find(({ name }) => name === metric);
  if (definition === undefined || !isJudged(definition))
    return <NoJudge experiment={experiment} metric={metric} />;
  if (!definition.judge) return <NoRubric experiment={experiment} metric={metric} />;
  return (
    <Judged
      experiment={experiment}
      metric={metric}
      judge={definition.judge}
      version={definition.metric_version}
    />
  );
}

interface JudgedProps extends CheckProps {
  readonly judge: Judge;
  /** Of the metric. */
  readonly version: number;
}

function Judged({ experiment, metric, judge, version }: JudgedProps) {
  const { id } = experiment;
  const scale = scaleOf(judge);
  const colors = useArmColors(experiment);
  const agreement = useQuery(judgeQueries.agreement(id, metric));
  const judges = useQuery({
    ...queries.judges(),
    refetchInterval: ({ state }) => (state.data?.backlog ? POLL_MS : false),
  });
  const item = judges.data?.items.find((one) => one.experiment_id === id && one.metric === metric);
  const none = Object.fromEntries(armsOf(experiment).keys.map((arm) => [arm, 0]));
  return (
    <Page
      title={`Judge of ${metric}`}
      lead={
        <>
          in{" "}
          <Link to="/experiments/$id" params={{ id }}>
            {experiment.name}
          </Link>{" "}
          · {SCALE_WORDS[scale]} · version {version}
        </>
      }
      actions={<LabelLink experimentId={id} metric={metric} />}
    >
      <OutboxNotice />
      {item === undefined ? null : <StateLine item={item} />}
      <Disclosure title="Rubric">
        <LongText text={judge.rubric} />
      </Disclosure>
      <Loaded query={agreement} lines={8}>
        {(found) => (
          <>
            <ProgressPanel drawn={{ ...none, ...found.drawn_labels }} needed={found.needed} />
            <AgreementPanel agreement={found} scale={scale} colors={colors} />
          </>
        )}
      </Loaded>
      <EffectPanel experiment={experiment} metric={metric} />
      <DisagreementsPanel experimentId={id} metric={metric} scale={scale} colors={colors} />
      <FailuresPanel experimentId={id} metric={metric} item={item} colors={colors} />
    </Page>
  );
}

function LabelLink(params: { readonly experimentId: string; readonly metric: string }) {
  return (
    <LinkButton look="primary" to="/judges/$experimentId/$metric/label" params={params}>
      Label answers
    </LinkButton>
  );
}

function StateLine({ item: { state, detail, judge_version: version } }: { readonly item: JudgedMetric }) {
  const { word, tone } = JUDGED_STATES[state];
  return (
    <p className="row">
      <Badge tone={tone}>{word}</Badge> <span>{detail}</span>
      {version === null ? null : (
        <span className="muted">
          Pinned to <code>{version}</code>
        </span>
      )}
    </p>
  );
}

function NoRubric({ experiment, metric }: CheckProps) {
  return (
    <Page title={`Judge of ${metric}`}>
      <Empty
        title="This metric has no rubric, so no judge scores it."
        actions={
          <LinkButton look="primary" to="/experiments/$id/change" params={{ id: experiment.id }}>
            Write a rubric
          </LinkButton>
        }
      >
        <p>A rubric describes what makes an answer good. The judge gets it with every answer.</p>
      </Empty>
    </Page>
  );
}

function NoJudge({ experiment, metric }: CheckProps) {
  return (
    <Page title={`No judge scores ${metric}`}>
      <Empty
        title={`${experiment.name} has no judged metric of this name.`}
        actions={<LinkButton to="/judges">All judges</LinkButton>}
      >
        <p>It may have been renamed or removed.</p>
      </Empty>
    </Page>
  );
}

interface ProgressPanelProps {
  readonly drawn: DrawnLabels;
  /** Labels needed per variant. */
  readonly needed: number;
}

/** Each variant's labels that correct the judge. */
function ProgressPanel({ drawn, needed }: ProgressPanelProps) {
  return (
    <Panel title="Labels that correct the judge">
      <p>{labelsMissing(drawn, needed)}</p>
      <div className="form">
        {Object.entries(drawn).map(([arm, labels]) => (
          <Meter
            key={arm}
            label={arm}
            value={labels}
            max={needed}
            tone={labels >= needed ? "good" : "info"}
            text={`${count(labels)} of ${count(needed)}${labels >= needed ? " ✓" : ""}`}
          />
        ))}
      </div>
      <p className="muted check-heading">
        Only labels from the queue count here, because its answers are drawn at random. Labels of calls that
        someone picked show up in the agreement below, but correct nothing.
      </p>
    </Panel>
  );
}
