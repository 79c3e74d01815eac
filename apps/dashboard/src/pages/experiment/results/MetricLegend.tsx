import type { MetricResult } from "../../../api/types.ts";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { signedPercent } from "../../../format/numbers.ts";
import type { EffectMode } from "./shown-effect.ts";

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
export function MetricLegend({ rows, mode, axis, hasTolerance }: MetricLegendProps) {
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
