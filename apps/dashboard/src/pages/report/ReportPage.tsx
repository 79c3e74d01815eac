import { useParams, useSearch } from "@tanstack/react-router";
import type { Experiment, Results } from "../../api/types.ts";
import { runName } from "../../format/times.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Page, Panel } from "../../ui/Page.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { Time } from "../../ui/Time.tsx";
import { LoadedRun, type RunOfExperiment } from "../experiment/LoadedRun.tsx";
import { MetricTable } from "../experiment/results/MetricTable.tsx";
import { RemarkList } from "../experiment/results/RemarkList.tsx";
import { RunFacts } from "../experiment/results/RunFacts.tsx";
import { ReportSplit } from "./ReportSplit.tsx";
import { ReportVariants } from "./ReportVariants.tsx";
import { ReportVerdict } from "./ReportVerdict.tsx";
import "./report.css";

const ROUTE = "/shell/experiments/$id/report";

/** A printable report: question, verdict and decision, variants, comparisons, split, remarks, and how it was computed. */
export default function ReportPage() {
  const { id } = useParams({ from: ROUTE });
  const { run: label = null } = useSearch({ from: ROUTE });
  return (
    <LoadedRun id={id} label={label}>
      {(found) => <Report {...found} />}
    </LoadedRun>
  );
}

function Report({ overview, experiment, run }: RunOfExperiment) {
  const { name, id } = experiment;
  return (
    <div className="report">
      <Page title={name} lead={<Lead overview={overview} run={run} />} actions={<Actions id={id} />}>
        <Panel title="Question">
          <p className="report-text">{experiment.hypothesis || "No hypothesis."}</p>
          {experiment.description ? <p className="report-text">{experiment.description}</p> : null}
        </Panel>
        <ReportVerdict overview={overview} experiment={experiment} run={run} />
        <ReportVariants experiment={experiment} />
        {run === null ? null : <Run experiment={experiment} run={run} />}
      </Page>
    </div>
  );
}

function Lead({ overview, run }: Pick<RunOfExperiment, "overview" | "run">) {
  return (
    <>
      <StateBadge state={overview.state} /> Report of <Time at={new Date().toISOString()} />
      {run === null ? ", no run yet" : `, run: ${runName(run.computed_for)}`}
      {run?.preliminary ? " (preliminary)" : ""}
    </>
  );
}

function Actions({ id }: { readonly id: string }) {
  return (
    <div className="report-actions">
      <div className="row">
        <Button look="primary" onPress={() => print()}>
          Print
        </Button>
        <LinkButton to="/experiments/$id" params={{ id }}>
          Back to the experiment
        </LinkButton>
      </div>
      <p className="muted">For a file, choose “Save as PDF” in the print dialog.</p>
    </div>
  );
}

function Run({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  const rows = Object.values(run.results);
  return (
    <>
      {rows.length === 0 ? null : (
        <Panel title="Comparisons">
          <MetricTable
            experiment={experiment}
            rows={rows}
            mode="relative"
            nameOf={({ metric }) => <strong>{metric}</strong>}
          />
        </Panel>
      )}
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
