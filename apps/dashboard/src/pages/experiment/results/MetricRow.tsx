import type { ReactNode } from "react";
import type { Experiment, MetricResult } from "../../../api/types.ts";
import { ArmLabel } from "../../../charts/ArmLabel.tsx";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { metricOf } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { count, pValue } from "../../../format/numbers.ts";
import { EffectCell } from "./EffectCell.tsx";
import { JudgeMark } from "./JudgeMark.tsx";
import type { ShownEffect } from "./shown-effect.ts";
import { VerdictWord } from "./VerdictWord.tsx";

interface MetricRowProps {
  readonly row: MetricResult;
  readonly experiment: Experiment;
  readonly shown: ShownEffect | string;
  readonly axis: IntervalScale;
  readonly color: string | undefined;
  readonly name: ReactNode;
}

/** A comparison in the table. */
export function MetricRow({ row, experiment, shown, axis, color, name }: MetricRowProps) {
  const metric = metricOf(experiment.metrics, row);
  const { value } = unitOf(metric);
  return (
    <tr>
      <th scope="row">
        <span className="metric-name">{name}</span>
        <span className="metric-wish">
          {row.desired === "decrease" ? "↓ lower is better" : "↑ higher is better"}
        </span>
        <ArmLabel name={row.treatment} color={color} />
        <JudgeMark row={row} experimentId={experiment.id} />
      </th>
      <ValueCell label="Control" value={row.control_value} users={row.n_per_arm[row.control]} write={value} />
      <ValueCell
        label="Treatment"
        value={row.treatment_value}
        users={row.n_per_arm[row.treatment]}
        write={value}
      />
      <EffectCell row={row} metric={metric} shown={shown} axis={axis} />
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
