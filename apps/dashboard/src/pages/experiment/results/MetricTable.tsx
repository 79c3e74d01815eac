import "./metric-table.css";
import type { ReactNode } from "react";
import type { Experiment, MetricResult } from "../../../api/types.ts";
import { armsOf } from "../../../charts/arms.ts";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { signedPercent } from "../../../format/numbers.ts";
import { MetricRow } from "./MetricRow.tsx";
import { axisOf, type EffectMode, type ShownEffect, shownEffect } from "./shown-effect.ts";

interface MetricTableProps {
  readonly experiment: Experiment;
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  /** The row's name: a link to its details, or plain text. */
  readonly nameOf: (row: MetricResult) => ReactNode;
}

const GROUPS = [
  { role: "primary", title: "Primary" },
  { role: "guardrail", title: "Guardrails" },
  { role: "secondary", title: "Other metrics" },
] as const;

/** All comparisons of a run, one row per metric and treatment: a forest plot with numbers. */
export function MetricTable({ experiment, rows, mode, nameOf }: MetricTableProps) {
  const effects = new Map(rows.map((row) => [row, shownEffect(row, mode, experiment.metrics)]));
  const axisFor = axesOf(effects, mode);
  const hasTolerance = [...effects.values()].some(
    (shown) => typeof shown !== "string" && shown.tolerance !== null,
  );
  const { colors } = armsOf(experiment);
  return (
    <>
      <section className="metric-table" aria-label="Table of comparisons" tabIndex={0}>
        <table>
          <caption className="visually-hidden">All treatments vs control, by metric</caption>
          <Head axis={mode === "relative" ? axisFor(undefined) : null} />
          {GROUPS.map(({ role, title }) => (
            <Group key={role} title={title} rows={rows.filter((row) => row.role === role)}>
              {(row) => (
                <MetricRow
                  key={`${row.metric}::${row.treatment}`}
                  row={row}
                  experiment={experiment}
                  shown={effects.get(row) ?? ""}
                  axis={axisFor(row)}
                  color={colors.get(row.treatment)}
                  name={nameOf(row)}
                />
              )}
            </Group>
          ))}
        </table>
      </section>
      <MetricLegend rows={rows} mode={mode} axis={axisFor(undefined)} hasTolerance={hasTolerance} />
    </>
  );
}

/** Relative effects share one axis; otherwise the rows of one metric do. */
function axesOf(effects: ReadonlyMap<MetricResult, ShownEffect | string>, mode: EffectMode) {
  const drawn = (wanted: (row: MetricResult) => boolean) =>
    axisOf([...effects].flatMap(([row, shown]) => (typeof shown !== "string" && wanted(row) ? [shown] : [])));
  const shared = drawn(() => true);
  return (row: MetricResult | undefined): IntervalScale =>
    mode === "relative" || row === undefined ? shared : drawn(({ metric }) => metric === row.metric);
}

/** The column headers; with a shared axis, also its ends. */
function Head({ axis }: { readonly axis: IntervalScale | null }) {
  return (
    <thead>
      <tr>
        <th scope="col">Metric</th>
        <th scope="col">Control</th>
        <th scope="col">Treatment</th>
        <th scope="col">
          Change (95% CI)
          {axis === null ? null : <Ticks axis={axis} />}
        </th>
        <th scope="col" className="numeric">
          Corrected p
        </th>
        <th scope="col">Verdict</th>
      </tr>
    </thead>
  );
}

const COLUMNS = 6;

interface GroupProps {
  readonly title: string;
  readonly rows: readonly MetricResult[];
  readonly children: (row: MetricResult) => ReactNode;
}

function Group({ title, rows, children }: GroupProps) {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr className="metric-group">
        <th colSpan={COLUMNS} scope="rowgroup">
          {title}
        </th>
      </tr>
      {rows.map(children)}
    </tbody>
  );
}

function Ticks({ axis }: { readonly axis: IntervalScale }) {
  return (
    <span className="metric-ticks" aria-hidden="true">
      <span>{signedPercent(axis.min)}</span>
      <span>0</span>
      <span>{signedPercent(axis.max)}</span>
    </span>
  );
}

interface MetricLegendProps {
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  readonly axis: IntervalScale;
  readonly hasTolerance: boolean;
}

const AXES: Readonly<Record<EffectMode, string>> = {
  relative: "All intervals share one axis",
  absolute: "Intervals of one metric share an axis",
  "per-10000": "The total effect over 10,000 users. Intervals of one metric share an axis",
};

/** Explains the intervals. */
function MetricLegend({ rows, mode, axis, hasTolerance }: MetricLegendProps) {
  const hasWings = rows.some((row) => row.ci_seq_low !== null || row.ci_seq_high !== null);
  const hasOpinion = rows.some(({ judge }) => judge?.calibrated === false);
  const hasCalibrated = rows.some(({ judge }) => judge?.calibrated === true);
  const range = mode === "relative" ? `, ${signedPercent(axis.min)} to ${signedPercent(axis.max)}` : "";
  const sentences = [
    `${AXES[mode]}${range}; the line is control.`,
    "Bar: 95% CI, valid for one look at the planned end. Filled: significant after correction. Outlined: not clear yet. Arrow: extends beyond the axis.",
    ...(hasWings ? ["Dashed: always-valid interval, which holds at every look."] : []),
    ...(hasTolerance ? ["Shaded: acceptable loss."] : []),
    ...(hasCalibrated
      ? ["Calibrated: labels by people correct the judge's scores; “judge alone” is uncorrected."]
      : []),
    ...(hasOpinion ? ["Judge opinion: no labels correct the judge's scores."] : []),
    "n: users analyzed.",
  ];
  return <p className="metric-legend">{sentences.join(" ")}</p>;
}
