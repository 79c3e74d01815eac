import type { Experiment, Results } from "../../../api/types.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { AnalyzeButton } from "../AnalyzeButton.tsx";
import { RemarkList } from "./RemarkList.tsx";

interface LostTracesPanelProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** Explains that a run is withheld because the variants lose different shares of their traces. No effect is shown. */
export function LostTracesPanel({ experiment: { id }, run }: LostTracesPanelProps) {
  return (
    <>
      <Notice
        tone="warn"
        title="Results are withheld: the variants lose different shares of their traces"
        actions={
          <>
            <LinkButton look="primary" to="/experiments/$id/health" params={{ id }}>
              See the health checks
            </LinkButton>
            <AnalyzeButton id={id}>Analyze again</AnalyzeButton>
          </>
        }
      >
        <p>
          Flags were evaluated whose model calls never came, and more of them in one variant than in another.
          Chance does not explain that. Calls that are missing may differ from those that came, so no effect
          is shown.
        </p>
      </Notice>
      <Panel title="Usual causes, and what to do">
        <dl className="results-causes">
          <dt>A collector keeps traces by their outcome, such as errors or latency (tail sampling)</dt>
          <dd>Sample at random instead, or keep every trace with a flag's evaluation.</dd>
          <dt>A variant answers without a call, or fails before it</dt>
          <dd>Report the evaluation on a span too: its trace then counts as arrived.</dd>
          <dt>The service that calls the model for one variant has no exporter</dt>
          <dd>Export its traces to Assay, and pass the trace's context on.</dd>
        </dl>
        <p>
          Traces that were dropped do not come back. Once the cause is fixed, set the days before it aside
          under Data health, or start a new experiment.
        </p>
        <RemarkList run={run} />
      </Panel>
    </>
  );
}
