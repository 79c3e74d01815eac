import { useQuery } from "@tanstack/react-query";
import { useFormState } from "react-hook-form";
import { queries } from "../../api/queries.ts";
import { counted } from "../../format/numbers.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { checkForm } from "../experiment-form/check-form.ts";
import { checklist } from "../experiment-form/checklist.ts";
import type { ExperimentValues } from "../experiment-form/form-values.ts";
import { PlanPanel } from "../experiment-form/PlanPanel.tsx";
import { useSettledValues } from "../experiment-form/use-settled-values.ts";

interface SummaryProps {
  readonly onSubmit: (status: "running" | "draft") => void;
  readonly isPending: boolean;
  readonly problem: Error | null;
  /** Errors that no field shows. */
  readonly unplaced: readonly string[];
}

/** The summary of the form: duration, checklist and the start. */
export function Summary({ onSubmit, isPending, problem, unplaced }: SummaryProps) {
  const values = useSettledValues();
  const { isSubmitted } = useFormState<ExperimentValues>();
  const faults = checkForm(values);
  return (
    <aside className="form-summary" aria-label="Summary and start">
      <Panel title="Summary">
        <h3>Duration</h3>
        <PlanPanel values={values} />
        <h3>Checklist</h3>
        <Checklist values={values} />
        {problem ? <ProblemNotice problem={problem} /> : null}
        {unplaced.map((fault) => (
          <p key={fault} className="field-error">
            {fault}
          </p>
        ))}
        {isSubmitted && faults.length > 0 ? (
          <Notice tone="bad" role="status">
            <p>{counted(faults.length, "field")} to fix first.</p>
          </Notice>
        ) : null}
        <div className="form-buttons">
          <Button look="primary" isPending={isPending} onPress={() => onSubmit("running")}>
            Start experiment
          </Button>
          <Button isPending={isPending} onPress={() => onSubmit("draft")}>
            Save as draft
          </Button>
          <p className="field-hint">
            {values.flagKey
              ? "Once started, exposures that name the flag's variant count."
              : "Once started, the experiment reaches your application with its next config poll, and users keep their variant from then on."}{" "}
            A draft assigns no users.
          </p>
        </div>
      </Panel>
    </aside>
  );
}

function Checklist({ values }: { readonly values: ExperimentValues }) {
  const keys = useQuery(queries.keys());
  const used = (keys.data ?? []).flatMap(({ last_used_at }) => last_used_at ?? []).sort();
  const items = checklist(values, { lastUsedAt: used.at(-1) ?? null, now: Date.now() });
  return (
    <ul className="checklist">
      {items.map(({ isDone, text }) => (
        <li key={text}>
          <span className={isDone ? "is-done" : "is-open"} aria-hidden="true">
            {isDone ? "✓" : "○"}
          </span>
          <span>
            <span className="visually-hidden">{isDone ? "Done: " : "Open: "}</span>
            {text}
          </span>
        </li>
      ))}
    </ul>
  );
}
