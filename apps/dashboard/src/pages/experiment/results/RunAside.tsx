import { Link } from "@tanstack/react-router";
import type { Experiment, Results } from "../../../api/types.ts";
import { LABELS_NEEDED } from "../../../format/judge-words.ts";
import { opinionsBehind } from "../../../format/tradeoff.ts";
import { clearRows, decisiveRows } from "../../../format/verdict.ts";
import { LinkButton } from "../../../ui/Button.tsx";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Notice } from "../../../ui/Notice.tsx";
import { changersOf, powerWarning, reasonsOf } from "./decision-reasons.ts";
import { RemarkList } from "./RemarkList.tsx";
import { RunPicker } from "./RunPicker.tsx";
import { type ShipCheck, shipChecks } from "./ship-checks.ts";

interface RunAsideProps {
  readonly experiment: Experiment;
  readonly run: Results;
}

/** Next to the scorecard: what remains to do before shipping, the folded reasons, and which run it is. */
export function RunAside({ experiment, run }: RunAsideProps) {
  const rows = Object.values(run.results);
  const warning = decisiveRows(rows)
    .map((row) => powerWarning(row, experiment.metrics))
    .find((sentence) => sentence !== null);
  return (
    <aside className="run-aside" aria-label="About this run">
      <section aria-label="Before you ship">
        <h2>Before you ship</h2>
        <ul className="ship-checks">
          {shipChecks(run).map((check) => (
            <Check key={check.words} check={check} />
          ))}
        </ul>
      </section>
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
      <div>
        <Reasons title="Why" sentences={reasonsOf(run, experiment.metrics)} />
        <Reasons title="What could change it" sentences={changersOf(rows, experiment.metrics)} />
      </div>
      <RunPicker run={run} />
      <RemarkList run={run} />
    </aside>
  );
}

const MARKS = {
  met: { sign: "✓", word: "Met" },
  open: { sign: "○", word: "Open" },
  failed: { sign: "✕", word: "Failed" },
} as const;

function Check({ check: { state, words } }: { readonly check: ShipCheck }) {
  const { sign, word } = MARKS[state];
  return (
    <li className={`ship-check is-${state}`}>
      <span aria-hidden="true">{sign}</span>
      <span>
        <span className="visually-hidden">{word}: </span>
        {words}
      </span>
    </li>
  );
}

function Reasons({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  if (sentences.length === 0) return null;
  return (
    <Disclosure title={title}>
      <ul className="results-reasons">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Disclosure>
  );
}

interface OpinionNoticeProps {
  readonly experimentId: string;
  /** The metrics whose uncorrected scores the verdict relies on. */
  readonly metrics: readonly string[];
}

/** Warns about a verdict that relies on an unchecked judge, with links to label answers. */
function OpinionNotice({ experimentId, metrics }: OpinionNoticeProps) {
  if (metrics.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title={`This relies on the judge's opinion of ${metrics.join(" and ")}`}
      actions={metrics.map((metric) => (
        <LinkButton key={metric} to="/judges/$experimentId/$metric/label" params={{ experimentId, metric }}>
          Label answers for {metric}
        </LinkButton>
      ))}
    >
      <p>
        A judge can prefer one variant's style. {LABELS_NEEDED} labels per variant, made by people, measure
        its errors and correct the effect from the next run on.
      </p>
    </Notice>
  );
}
