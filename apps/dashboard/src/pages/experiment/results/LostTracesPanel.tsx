import type { Experiment, Results } from "../../../api/types.ts";
import { Panel } from "../../../ui/Page.tsx";
import { RemarkList } from "./RemarkList.tsx";
import { WithheldNotice } from "./WithheldNotice.tsx";

interface LostTracesPanelProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** Explains that a run is withheld because the variants lost different shares of their traces. No effect is shown. */
export function LostTracesPanel({ experiment: { id }, run }: LostTracesPanelProps) {
  return (
    <>
      <WithheldNotice id={id} why="the variants lose different shares of their traces">
        For some evaluations of the flag, the model call never arrived, and for one variant more often than
        for another. Chance does not explain the difference. The missing calls may differ from those that
        arrived, so no effect is shown.
      </WithheldNotice>
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
          Dropped traces do not come back. Once the cause is fixed, set the days before the fix aside under
          Data health, or start a new experiment.
        </p>
        <RemarkList run={run} />
      </Panel>
    </>
  );
}
