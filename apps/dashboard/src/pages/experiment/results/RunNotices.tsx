import type { Experiment, ExperimentOverview, Results } from "../../../api/types.ts";
import { day, runName } from "../../../format/times.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Time } from "../../../ui/Time.tsx";
import { AnalyseButton } from "../AnalyseButton.tsx";
import { DecisionFacts } from "./DecisionFacts.tsx";

/** As the service judges it: data and analyses come daily. */
const STALE_MS = 2 * 86_400_000;

interface RunNoticesProps {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** What must be said before the numbers: the night failed, the numbers are old, or the experiment is over. */
export function RunNotices({ overview, experiment, run }: RunNoticesProps) {
  return (
    <>
      {overview.status === "stopped" ? <Stopped experiment={experiment} /> : null}
      {overview.last_night?.outcome === "failed" ? <Failed overview={overview} run={run} /> : null}
      {overview.is_stale ? <Stale overview={overview} /> : null}
    </>
  );
}

function Stopped({ experiment }: { readonly experiment: Experiment }) {
  const { id, decision = null } = experiment;
  return (
    <Notice
      tone="info"
      title={decision === null ? "Stopped, without a decision on record" : "Stopped and decided"}
      actions={
        <>
          <LinkButton to="/experiments/$id/report" params={{ id }}>
            Printable report
          </LinkButton>
          {decision === null ? (
            <LinkButton to="/experiments/$id/decide" params={{ id }}>
              Record the decision
            </LinkButton>
          ) : null}
        </>
      }
    >
      <DecisionFacts decision={decision} />
      <p>It assigns nobody any more. Nightly runs go on for 30 days, for outcomes that still arrive.</p>
    </Notice>
  );
}

function Failed({ overview, run }: { readonly overview: ExperimentOverview; readonly run: Results | null }) {
  const { id, last_night: night } = overview;
  if (night === null) return null;
  return (
    <Notice
      tone="bad"
      title={`The run of ${runName(night.day).replace("Night of ", "")} failed`}
      actions={<AnalyseButton id={id}>Retry now</AnalyseButton>}
    >
      <p>
        {night.detail ?? "No reason was kept."} {night.finished_at ? <Time at={night.finished_at} /> : null}
      </p>
      <p>
        {run === null
          ? "There is no earlier run to show. Nothing is lost: the next night computes from all events."
          : `Below is what is known from before: ${runName(run.computed_for)}. Nothing is lost: the next night computes from all events.`}{" "}
        Retrying makes a preliminary run. If it fails too, ask whoever runs Assay: the service's log names the
        cause.
      </p>
    </Notice>
  );
}

function Stale({ overview }: { readonly overview: ExperimentOverview }) {
  const { id, last_run: run, last_exposure_on: seen } = overview;
  const isAnalysisOld = run !== null && Date.now() - Date.parse(run.computed_at) > STALE_MS;
  return (
    <Notice
      tone="warn"
      title={isAnalysisOld ? "The last analysis is old" : "No new users for days"}
      actions={
        <>
          <AnalyseButton id={id}>Analyse now</AnalyseButton>
          <LinkButton to="/experiments/$id/live" params={{ id }}>
            See what arrives
          </LinkButton>
        </>
      }
    >
      <p>
        {run ? (
          <>
            The last analysis is from <Time at={run.computed_at} isRelative />.{" "}
          </>
        ) : null}
        {seen === null ? "No user has been seen. " : `The last exposure came on ${day(seen)} (UTC). `}
        If users should still come, check that your application is deployed with this experiment; if not, stop
        and decide.
      </p>
    </Notice>
  );
}
