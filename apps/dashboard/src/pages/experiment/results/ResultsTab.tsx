import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Problem } from "../../../api/problem.ts";
import type { Experiment, Results } from "../../../api/types.ts";
import { Button, LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Empty, Panel } from "../../../ui/Page.tsx";
import { NoTrafficPanel } from "../../start/NoTrafficPanel.tsx";
import { NotSeenYet } from "../health/set-aside/NotSeenYet.tsx";
import { LoadedRun, type RunOfExperiment, type RunSearch } from "../LoadedRun.tsx";
import { CollectingPanel } from "./CollectingPanel.tsx";
import { ComputedRun } from "./ComputedRun.tsx";
import { HoldbackPanel } from "./HoldbackPanel.tsx";
import { LostTracesPanel } from "./LostTracesPanel.tsx";
import { NightList } from "./NightList.tsx";
import { RemarkList } from "./RemarkList.tsx";
import { RunNotices } from "./RunNotices.tsx";
import { RunPicker } from "./RunPicker.tsx";
import { WithheldPanel } from "./WithheldPanel.tsx";

const ROUTE = "/shell/experiments/$id/";

/** The results: the latest run, or the one in the URL. */
export default function ResultsTab() {
  const { id } = useParams({ from: ROUTE });
  const search = useSearch({ from: ROUTE });
  const instead = (error: Error) =>
    error instanceof Problem && error.kind === "run-not-found" ? <RunNotFound {...search} /> : null;
  return (
    <LoadedRun id={id} search={search} instead={instead}>
      {(found) => <Run {...found} />}
    </LoadedRun>
  );
}

function Run({ overview, experiment, run }: RunOfExperiment) {
  return (
    <>
      <RunNotices overview={overview} experiment={experiment} run={run} />
      <NotSeenYet experimentId={experiment.id} run={run} isElsewhere />
      {experiment.holdback ? <HoldbackPanel experiment={experiment} /> : null}
      {run === null || hasRows(run) ? null : <RunPicker run={run} />}
      <RunBody overview={overview} experiment={experiment} run={run} />
      <NightList id={experiment.id} />
    </>
  );
}

/** A run with rows has its picker beside them. */
const hasRows = ({ withheld_by, results }: Results) =>
  withheld_by === null && Object.keys(results).length > 0;

function RunBody({ overview, experiment, run }: RunOfExperiment) {
  if (run === null) return <NothingYet overview={overview} experiment={experiment} />;
  if (run.withheld_by === "srm") return <WithheldPanel experiment={experiment} run={run} />;
  if (run.withheld_by === "lost-traces") return <LostTracesPanel experiment={experiment} run={run} />;
  if (!hasRows(run)) return <EmptyRun experiment={experiment} run={run} />;
  return <ComputedRun experiment={experiment} run={run} />;
}

function NothingYet({ overview, experiment }: Omit<RunOfExperiment, "run">) {
  if (overview.status === "draft") return <DraftPanel experiment={experiment} />;
  return overview.exposures === 0 ? (
    <NoTrafficPanel experimentId={experiment.id} />
  ) : (
    <CollectingPanel experiment={experiment} />
  );
}

/** A run without comparisons: what is missing, and its remarks. */
function EmptyRun({ experiment, run }: { readonly experiment: Experiment; readonly run: Results }) {
  return (
    <>
      <Panel title="This run has no comparisons">
        <p>No metric had enough values in every variant. Below is the data that has arrived by now.</p>
        <RemarkList run={run} />
      </Panel>
      <CollectingPanel experiment={experiment} />
    </>
  );
}

function RunNotFound({ run = "", revision }: RunSearch) {
  const navigate = useNavigate({ from: "/experiments/$id/" });
  return (
    <Notice
      tone="warn"
      title="Run not found"
      actions={<Button onPress={() => navigate({ search: {} })}>Show the latest run</Button>}
    >
      <p>
        No run <code>{run}</code>
        {revision === undefined ? "" : ` with revision ${revision}`} exists. The night may not have been
        computed, or the link belongs to another experiment.
      </p>
    </Notice>
  );
}

/** Shown for a draft, which has no results. */
function DraftPanel({ experiment: { id } }: { readonly experiment: Experiment }) {
  return (
    <Panel title="Results">
      <Empty
        title="Not started yet"
        actions={
          <>
            <LinkButton look="primary" to="/experiments/$id/change" params={{ id }}>
              Start…
            </LinkButton>
            <LinkButton to="/experiments/$id/setup" params={{ id }}>
              View the setup
            </LinkButton>
          </>
        }
      >
        <p>A draft assigns no users and collects no data.</p>
      </Empty>
    </Panel>
  );
}
