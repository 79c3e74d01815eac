import type { MetricDefinition } from "../../../api/types.ts";
import { type Judge, judgeInWords } from "../../../format/judge-words.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { desiredOf, formulaInWords, isJudged } from "../../../format/metric-words.ts";
import { number, percent } from "../../../format/numbers.ts";
import type { Unit } from "../../../format/unit-words.ts";
import { Disclosure } from "../../../ui/Disclosure.tsx";
import { Table } from "../../../ui/Table.tsx";

const ROLES = ["primary", "guardrail", "secondary"] as const;
const ROLE_WORDS = { primary: "Primary", guardrail: "Guardrail", secondary: "Other" } as const;
const roleOf = ({ role }: MetricDefinition) => role ?? "secondary";

/** The metrics by role, each with its formula in words. */
export function MetricSetup({
  metrics,
  unit,
}: {
  readonly metrics: readonly MetricDefinition[];
  readonly unit?: Unit | undefined;
}) {
  const sorted = metrics.toSorted((a, b) => ROLES.indexOf(roleOf(a)) - ROLES.indexOf(roleOf(b)));
  return (
    <Table
      caption="Metrics of the experiment"
      isCaptionHidden
      narrow="stacks"
      rows={sorted}
      rowKey={({ name }) => name}
      empty={<p className="muted">No metrics, so nothing is compared. Add one with “Change…”.</p>}
      columns={[
        { key: "name", title: "Metric", cell: NameCell },
        { key: "role", title: "Role", cell: (metric) => ROLE_WORDS[roleOf(metric)] },
        {
          key: "desired",
          title: "Direction",
          cell: (metric) => (desiredOf(metric) === "increase" ? "↑ higher" : "↓ lower"),
        },
        {
          key: "formula",
          title: "What it computes",
          cell: (metric) => (
            <div className="setup-formula">
              {formulaInWords(metric, unit)}
              {isJudged(metric) ? <JudgeSetup judge={metric.judge ?? null} /> : null}
            </div>
          ),
        },
        { key: "aim", title: "Target", cell: Aim },
        { key: "method", title: "Test", cell: Method },
      ]}
    />
  );
}

function NameCell({ name, display_name: title, metric_version, description }: MetricDefinition) {
  return (
    <span title={description ?? undefined}>
      {title ? `${title} (${name})` : name} <span className="muted">v{metric_version}</span>
    </span>
  );
}

function JudgeSetup({ judge }: { readonly judge: Judge | null }) {
  if (judge === null) {
    return <p className="setup-judge muted">Nothing is judged, because the metric has no rubric.</p>;
  }
  return (
    <Disclosure title={`Judge: ${judgeInWords(judge)}`}>
      <p className="setup-text">{judge.rubric}</p>
    </Disclosure>
  );
}

function Aim(metric: MetricDefinition) {
  const { target_effect, margin } = metric;
  return (
    <>
      {target_effect === undefined ? null : <span>detect changes of {percent(target_effect)}</span>}
      {margin === undefined || margin === null ? null : (
        <span title={number(margin, 6)}> acceptable loss: {unitOf(metric).difference(margin)}</span>
      )}
    </>
  );
}

function Method({ method_default, method }: MetricDefinition) {
  const chosen = method ?? method_default;
  return (
    <span title={method ? "Overridden; see the audit log." : undefined}>
      {chosen === "auto" ? "automatic" : chosen.replaceAll("_", " ")}
      {method ? " (overridden)" : ""}
    </span>
  );
}
