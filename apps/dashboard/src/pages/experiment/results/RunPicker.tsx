import { useNavigate } from "@tanstack/react-router";
import type { Results } from "../../../api/types.ts";
import { isManual, runName } from "../../../format/times.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { SelectField } from "../../../ui/Field.tsx";
import { Time } from "../../../ui/Time.tsx";
import "./results.css";

/** Selects a run; the choice is in the URL. Marks preliminary runs. */
export function RunPicker({ run }: { readonly run: Results }) {
  const navigate = useNavigate({ from: "/experiments/$id/" });
  const labels = run.available_days.includes(run.computed_for)
    ? run.available_days
    : [run.computed_for, ...run.available_days];
  return (
    <div className="results-bar">
      <SelectField
        label="Run"
        value={run.computed_for}
        onChange={(label) => navigate({ search: (search) => ({ ...search, run: label }) })}
        options={labels.map((label) => ({
          value: label,
          label: runName(label),
          ...(isManual(label) ? { detail: "Preliminary" } : {}),
        }))}
      />
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
    </div>
  );
}
