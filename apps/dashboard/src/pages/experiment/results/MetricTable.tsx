import { Fragment, type ReactNode } from "react";
import type { Experiment, MetricResult } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import { armsOf } from "../../../charts/arms.ts";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { metricOf } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { count, pValue, signedPercent } from "../../../format/numbers.ts";
import { EffectCell } from "./EffectCell.tsx";
import { MetricLegend } from "./MetricLegend.tsx";
import { axisOf, type EffectMode, type ShownEffect, shownEffect } from "./shown-effect.ts";
import { VerdictWord } from "./VerdictWord.tsx";
import "./metric-table.css";

interface MetricTableProps {
  readonly experiment: Experiment;
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  /** What stands as the row's name: a link to its details, or plain text. */
  readonly nameOf: (row: MetricResult) => ReactNode;
}

const GROUPS = [
  { role: "primary", title: "Primary: what decides" },
  { role: "guardrail", title: "Guardrails: what must not get worse" },
  { role: "secondary", title: "Other metrics" },
] as const;

const COLUMNS = [
  "Metric",
  "Control",
  "Treatment",
  "Change, with its 95 % interval",
  "Corrected p",
  "Verdict",
];

/** Every comparison of a run, one row per metric and treatment: a forest plot with its numbers. */
export function MetricTable({ experiment, rows, mode, nameOf }: MetricTableProps) {
  const effects = new Map(rows.map((row) => [row, shownEffect(row, mode, experiment.metrics)]));
  const axisFor = axesOf(effects, mode);
  const { colors } = armsOf(experiment);
  return (
    <>
      <section className="metric-table" aria-label="Table of comparisons" tabIndex={0}>
        <table>
          <caption className="visually-hidden">Every treatment against control, metric by metric</caption>
          <thead>
            <tr>
              {COLUMNS.map((title, index) => (
                <th key={title} scope="col" className={index === 4 ? "numeric" : undefined}>
                  {title}
                  {index === 3 && mode === "relative" ? <Ticks axis={axisFor(rows[0])} /> : null}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {GROUPS.map(({ role, title }) => {
              const own = rows.filter((row) => row.role === role);
              return own.length === 0 ? null : (
                <Fragment key={role}>
                  <tr className="metric-group">
                    <th colSpan={COLUMNS.length} scope="colgroup">
                      {title}
                    </th>
                  </tr>
                  {own.map((row) => (
                    <Row
                      key={`${row.metric}::${row.treatment}`}
                      row={row}
                      experiment={experiment}
                      shown={effects.get(row) ?? ""}
                      axis={axisFor(row)}
                      color={colors.get(row.treatment)}
                      name={nameOf(row)}
                    />
                  ))}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </section>
      <MetricLegend rows={rows} mode={mode} axis={axisFor(undefined)} />
    </>
  );
}

/** Relative effects share one axis; in units of their own, the rows of one metric do. */
function axesOf(effects: ReadonlyMap<MetricResult, ShownEffect | string>, mode: EffectMode) {
  const drawn = (wanted: (row: MetricResult) => boolean) =>
    axisOf([...effects].flatMap(([row, shown]) => (typeof shown !== "string" && wanted(row) ? [shown] : [])));
  const shared = drawn(() => true);
  return (row: MetricResult | undefined): IntervalScale =>
    mode === "relative" || row === undefined ? shared : drawn(({ metric }) => metric === row.metric);
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

interface RowProps {
  readonly row: MetricResult;
  readonly experiment: Experiment;
  readonly shown: ShownEffect | string;
  readonly axis: IntervalScale;
  readonly color: string | undefined;
  readonly name: ReactNode;
}

function Row({ row, experiment, shown, axis, color, name }: RowProps) {
  const { value } = unitOf(metricOf(experiment.metrics, row));
  return (
    <tr>
      <th scope="row">
        <span className="metric-name">{name}</span>
        <span className="metric-wish">
          {row.desired === "decrease" ? "↓ lower is better" : "↑ higher is better"}
        </span>
        <ArmLabel name={row.treatment} color={color} />
      </th>
      <ValueCell label="Control" value={row.control_value} users={row.n_per_arm[row.control]} write={value} />
      <ValueCell
        label="Treatment"
        value={row.treatment_value}
        users={row.n_per_arm[row.treatment]}
        write={value}
      />
      <EffectCell row={row} shown={shown} axis={axis} />
      <td
        className="numeric"
        data-label="Corrected p"
        title={`Raw p ${row.p_value}: not used for the decision`}
      >
        {pValue(row.p_value_fdr, row.p_floor)}
      </td>
      <td data-label="Verdict">
        <VerdictWord verdict={row.verdict} />
      </td>
    </tr>
  );
}

interface ValueCellProps {
  readonly label: string;
  readonly value: number;
  readonly users: number | undefined;
  readonly write: (value: number) => string;
}

function ValueCell({ label, value, users, write }: ValueCellProps) {
  return (
    <td data-label={label} title={String(value)}>
      <span className="metric-value">
        {write(value)}
        <span className="metric-n">n {count(users ?? 0)}</span>
      </span>
    </td>
  );
}
