import type { Experiment, ExperimentOverview, Results } from "../../api/types.ts";
import { verdictSentence } from "../../format/verdict.ts";
import { Panel } from "../../ui/Page.tsx";
import { DecisionFacts } from "../experiment/results/DecisionFacts.tsx";
import { reasonsOf } from "../experiment/results/decision-reasons.ts";

interface ReportVerdictProps {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** The verdict and the decision. The sentence refers to the latest run; an older run shows only its reasons. */
export function ReportVerdict({ overview, experiment, run }: ReportVerdictProps) {
  const rows = Object.values(run?.results ?? {});
  const isLatest = run === null || overview.last_run?.computed_for === run.computed_for;
  return (
    <Panel title="Verdict">
      {isLatest ? (
        <p className="report-verdict">{verdictSentence(overview, { metrics: experiment.metrics, rows })}</p>
      ) : null}
      {run === null || rows.length === 0 ? null : (
        <ul className="results-reasons">
          {reasonsOf(run, experiment.metrics).map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {experiment.decision ? (
        <>
          <h3>Decision</h3>
          <DecisionFacts decision={experiment.decision} />
        </>
      ) : null}
    </Panel>
  );
}
