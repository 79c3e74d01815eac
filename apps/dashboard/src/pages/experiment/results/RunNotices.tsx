import type { Experiment, ExperimentOverview, Results } from "../../../api/types.ts";
import { day, runName, runTitle } from "../../../format/times.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Time } from "../../../ui/Time.tsx";
import { AnalyzeButton } from "../AnalyzeButton.tsx";
import { DecisionFacts } from "./DecisionFacts.tsx";

/** The service's limit: data and analyses come daily. */
const STALE_MS = 2 * 86_400_000;

interface RunNoticesProps {
  readonly overview: ExperimentOverview;
  readonly experiment: Experiment;
  readonly run: Results | null;
}

/** Notices above the results: the last night failed, the data is old, or the experiment has ended. */
export function RunNotices({ overview, experiment, run }: RunNoticesProps) {
  return (
    <>
      {overview.status === "draft" || overview.status === "running" ? null : (
        <Ended
          experiment={experiment}
          wasExposed={Object.values(overview.users).some((users) => users > 0)}
        />
      )}
      {overview.last_night?.outcome === "failed" ? <Failed overview={overview} run={run} /> : null}
      {overview.is_stale ? <Stale overview={overview} /> : null}
    </>
  );
}

interface EndedProps {
  readonly experiment: Experiment;
  /** Whether any user was exposed: an archived draft has none. */
  readonly wasExposed: boolean;
}

function Ended({ experiment, wasExposed }: EndedProps) {
  const { id, status, decision = null } = experiment;
  const isArchived = status === "archived";
  const end = status === "shipped" ? "Shipped" : "Stopped";
  const title = decision === null ? `${end} without a recorded decision` : `${end} and decided`;
  return (
    <Notice
      tone="info"
      title={isArchived ? "Archived" : title}
      actions={
        <>
          <LinkButton to="/experiments/$id/report" params={{ id }}>
            Printable report
          </LinkButton>
          {decision === null && !isArchived ? (
            <LinkButton to="/experiments/$id/decide" params={{ id }}>
              Record the decision
            </LinkButton>
          ) : null}
        </>
      }
    >
      <DecisionFacts experiment={experiment} />
      {wasExposed ? (
        <p>
          Its sample is closed. Nightly runs continue for 30 days after the end, for outcomes that still
          arrive.
        </p>
      ) : null}
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
      actions={<AnalyzeButton id={id}>Retry now</AnalyzeButton>}
    >
      <p>
        {night.detail ?? "No reason was recorded."}{" "}
        {night.finished_at ? <Time at={night.finished_at} /> : null}
      </p>
      <p>
        {run === null
          ? "There is no earlier run. No data is lost: the next night computes from all events."
          : `Shown below: ${runTitle(run)}. No data is lost: the next night computes from all events.`}{" "}
        “Retry now” starts a preliminary run. If that fails too, ask the operator of this installation: the
        service's log has the cause.
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
      title={isAnalysisOld ? "The latest analysis is old" : "No new users for days"}
      actions={
        <>
          <AnalyzeButton id={id}>Analyze now</AnalyzeButton>
          <LinkButton to="/experiments/$id/live" params={{ id }}>
            View live events
          </LinkButton>
        </>
      }
    >
      <p>
        {run ? (
          <>
            The latest analysis is from <Time at={run.computed_at} isRelative />.{" "}
          </>
        ) : null}
        {seen === null ? "No users so far. " : `The last exposure was on ${day(seen)} (UTC). `}
        If you expect users, check that your application is deployed with this experiment. If not, stop and
        decide.
      </p>
    </Notice>
  );
}
