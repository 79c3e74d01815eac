import "./report.css";
import type { ReactNode } from "react";
import type { Experiment, ExperimentOverview, Results } from "../../api/types.ts";
import { pEquals } from "../../format/numbers.ts";
import { runTitle } from "../../format/times.ts";
import { verdictSentence } from "../../format/verdict.ts";
import { StateBadge } from "../../ui/Badge.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { isLatestRun, type RunOfExperiment } from "../experiment/LoadedRun.tsx";
import { DecisionFacts } from "../experiment/results/DecisionFacts.tsx";
import { reasonsOf } from "../experiment/results/decision-reasons.ts";
import { PlanPanel } from "../experiment/results/PlanPanel.tsx";
import { RemarkList } from "../experiment/results/RemarkList.tsx";
import { RunFacts } from "../experiment/results/RunFacts.tsx";
import { Scorecard } from "../experiment/results/Scorecard.tsx";
import { SplitTable } from "../experiment/results/SplitTable.tsx";
import { ReportVariants } from "./ReportVariants.tsx";

type ReportProps = RunOfExperiment & { readonly actions: ReactNode };

/** The report of an experiment, to read or print. */
export function Report({ overview, experiment, run, actions }: ReportProps) {
  const { name } = experiment;
  return (
    <div className="report">
      <Page title={name} lead={<Lead overview={overview} run={run} />} actions={actions}>
        <Panel title="Question">
          <p className="report-text">{experiment.hypothesis || "No hypothesis."}</p>
          {experiment.description ? <p className="report-text">{experiment.description}</p> : null}
        </Panel>
        <ReportVerdict overview={overview} experiment={experiment} run={run} />
        <ReportVariants experiment={experiment} run={run} />
        {run === null ? null : <Run experiment={experiment} run={run} />}
      </Page>
    </div>
  );
}

function Lead({ overview, run }: Pick<RunOfExperiment, "overview" | "run">) {
  return (
    <>
      <StateBadge state={overview.state} /> Report from <Time at={new Date().toISOString()} />
      {run === null ? ", no run yet" : `, run: ${runTitle(run)}`}
      {run?.preliminary ? " (preliminary)" : ""}
    </>
  );
}

function Run({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  const rows = Object.values(run.results);
  return (
    <>
      {rows.length === 0 ? null : (
        <Panel title="Comparisons">
          <Scorecard
            experiment={experiment}
            rows={rows}
            mode="relative"
            nameOf={(_, title) => <strong>{title}</strong>}
          />
        </Panel>
      )}
      {run.decision === null ? null : <PlanPanel experiment={experiment} run={run} decision={run.decision} />}
      <ReportSplit experiment={experiment} run={run} />
      <Panel title="Data health">
        {run.health.length === 0 ? <p>No remarks.</p> : <RemarkList run={run} />}
      </Panel>
      <Panel title="How this was computed">
        <RunFacts run={run} />
      </Panel>
    </>
  );
}

/** Whether the split of users matches the allocation. */
function ReportSplit({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  const { status, p_value: p, threshold } = run.srm;
  return (
    <Panel title="Traffic split">
      <p>
        {status === "passed"
          ? "The observed split is consistent with the allocation"
          : "The observed split differs from the allocation, so no effect is shown"}{" "}
        ({pEquals(p)}; withheld below {threshold}).
      </p>
      <SplitTable experiment={experiment} srm={run.srm} />
    </Panel>
  );
}

interface ReportVerdictProps {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** The verdict and the decision. The sentence refers to the latest run; an older run shows only its reasons. */
function ReportVerdict({ overview, experiment, run }: ReportVerdictProps) {
  const rows = Object.values(run?.results ?? {});
  const isLatest = run === null || isLatestRun(overview, run);
  return (
    <Panel title="Verdict">
      {isLatest ? (
        <p className="report-verdict">
          {verdictSentence(overview, { metrics: experiment.metrics, rows, flagKey: experiment.flag_key })}
        </p>
      ) : null}
      {run === null || rows.length === 0 ? null : (
        <ul className="results-reasons">
          {reasonsOf(run, experiment.metrics).map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {experiment.decision || experiment.shipped_variant ? (
        <>
          <h3>Decision</h3>
          <DecisionFacts experiment={experiment} />
        </>
      ) : null}
    </Panel>
  );
}
