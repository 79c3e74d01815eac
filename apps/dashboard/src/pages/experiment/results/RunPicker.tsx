import { useNavigate } from "@tanstack/react-router";
import type { Results } from "../../../api/types.ts";
import { isManual, isWholeNight, runName } from "../../../format/times.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { SelectField } from "../../../ui/Field.tsx";
import { Time } from "../../../ui/Time.tsx";
import { AnalyzeButton } from "../AnalyzeButton.tsx";
import "./results.css";

interface RunPickerProps {
  readonly run: Results;
}

/** Selects a run and its revision. The choice is in the URL. Marks preliminary runs and runs that a newer revision replaced. */
export function RunPicker({ run }: RunPickerProps) {
  const navigate = useNavigate({ from: "/experiments/$id/" });
  const labels = run.available_days.includes(run.computed_for)
    ? run.available_days
    : [run.computed_for, ...run.available_days];
  return (
    <div className="results-bar">
      <SelectField
        label="Run"
        value={run.computed_for}
        onChange={(label) =>
          navigate({ search: ({ revision: _, ...search }) => ({ ...search, run: label }) })
        }
        options={labels.map((label) => ({
          value: label,
          label: runName(label),
          ...(isManual(label) ? { detail: "Preliminary" } : {}),
        }))}
      />
      {run.revisions.length > 1 ? <RevisionPicker run={run} /> : null}
      <p className="muted">
        Computed <Time at={run.computed_at} isRelative /> over{" "}
        {run.window.from === null ? (
          "no data: nobody had been exposed yet"
        ) : (
          <>
            <Time at={run.window.from} /> to <Time at={run.window.to} />
          </>
        )}
      </p>
      {run.preliminary ? <Badge tone="warn">Preliminary: does not replace tonight's run</Badge> : null}
      {run.revision < run.revisions.length ? (
        <Badge tone="warn">A newer revision replaced this one</Badge>
      ) : null}
      {isWholeNight(run) ? (
        <AnalyzeButton id={run.experiment_id} day={run.computed_for}>
          Run this night again
        </AnalyzeButton>
      ) : null}
    </div>
  );
}

function RevisionPicker({ run }: RunPickerProps) {
  const navigate = useNavigate({ from: "/experiments/$id/" });
  return (
    <SelectField
      label="Revision"
      value={String(run.revision)}
      onChange={(revision) =>
        navigate({ search: (search) => ({ ...search, run: run.computed_for, revision }) })
      }
      options={run.revisions.toReversed().map((revision, index) => ({
        value: String(revision),
        label: `Revision ${revision}`,
        ...(index === 0 ? { detail: "Newest" } : {}),
      }))}
    />
  );
}
