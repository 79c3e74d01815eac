import { Link } from "@tanstack/react-router";
import type { Experiment, ExperimentState, Results } from "../../../api/types.ts";
import { LABELS_NEEDED } from "../../../format/judge-words.ts";
import { STATES } from "../../../format/states.ts";
import { opinionsBehind } from "../../../format/tradeoff.ts";
import { clearRows, decisiveRows } from "../../../format/verdict.ts";
import { StateBadge } from "../../../ui/Badge.tsx";
import { LinkButton } from "../../../ui/Button.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { Panel } from "../../../ui/Page.tsx";
import { changersOf, powerWarning, reasonsOf } from "./decision-reasons.ts";
import { RemarkList } from "./RemarkList.tsx";

interface DecisionCardProps {
  readonly experiment: Experiment;
  /** Null: the state refers to another run. */
  readonly state: ExperimentState | null;
  readonly run: Results;
}

/** The verdict of the run, the reasons, and what could change it. */
export function DecisionCard({ experiment, state, run }: DecisionCardProps) {
  const rows = Object.values(run.results);
  const warning = decisiveRows(rows)
    .map((row) => powerWarning(row, experiment.metrics))
    .find((sentence) => sentence !== null);
  return (
    <Panel title="Verdict of this run">
      {state === null ? null : (
        <p>
          <StateBadge state={state} /> {STATES[state].meaning}
        </p>
      )}
      <div className="grid-2">
        <Reasons title="Why" sentences={reasonsOf(run, experiment.metrics)} />
        <Reasons title="What could change it" sentences={changersOf(rows, experiment.metrics)} />
      </div>
      <OpinionNotice experimentId={experiment.id} metrics={opinionsBehind(run.tradeoffs, clearRows(rows))} />
      {warning === undefined ? null : (
        <Notice tone="warn" title={warning}>
          <p>
            Raise the metric's target effect, add more users, or compare fewer variants.{" "}
            <Link to="/experiments/$id/change" params={{ id: experiment.id }}>
              Change the setup
            </Link>
          </p>
        </Notice>
      )}
      <RemarkList run={run} />
    </Panel>
  );
}

function Reasons({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul className="results-reasons">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </div>
  );
}

interface OpinionNoticeProps {
  readonly experimentId: string;
  /** The metrics whose uncorrected scores the verdict relies on. */
  readonly metrics: readonly string[];
}

/** Warns of a verdict that relies on an unchecked judge, with links to label answers. */
function OpinionNotice({ experimentId, metrics }: OpinionNoticeProps) {
  if (metrics.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={`This relies on the judge's opinion of ${metrics.join(" and ")}`}
      actions={metrics.map((metric) => (
        <LinkButton key={metric} to="/judges/$experimentId/$metric/label" params={{ experimentId, metric }}>
          Label answers of {metric}
        </LinkButton>
      ))}
    >
      <p>
        A judge can prefer one variant's style. {LABELS_NEEDED} labels by people per variant measure its
        errors and correct the effect from the next run on.
      </p>
    </Notice>
  );
}
