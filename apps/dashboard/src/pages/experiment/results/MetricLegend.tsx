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
  relative: "All bars share one axis",
  absolute: "Bars of one metric share an axis",
  "per-10000":
    "What the effect adds up to over 10,000 users: with 10,000 new users a month, per month. Bars of one metric share an axis",
};

/** Explains the bars. */
export function MetricLegend({ rows, mode, axis, hasTolerance }: MetricLegendProps) {
  const hasWings = rows.some((row) => row.ci_seq_low !== null || row.ci_seq_high !== null);
  const hasOpinion = rows.some(({ judge }) => judge?.calibrated === false);
  const hasCalibrated = rows.some(({ judge }) => judge?.calibrated === true);
  const range = mode === "relative" ? `, ${signedPercent(axis.min)} to ${signedPercent(axis.max)}` : "";
  const sentences = [
    `${AXES[mode]}${range}, with control at the line.`,
    "Bar: the 95 % interval, for one look at the planned end. Filled: clear after correction. Outlined: not clear yet. Arrow: it goes on.",
    ...(hasWings ? ["Dashed wings: always valid, however often one looks."] : []),
    ...(hasTolerance ? ["Shaded: the largest acceptable loss."] : []),
    ...(hasCalibrated
      ? ["Calibrated: people's labels correct the judge's scores; “judge alone” is without them."]
      : []),
    ...(hasOpinion ? ["Judge opinion: too few labels show how far the judge is right."] : []),
    "n: users analysed.",
  ];
  return <p className="metric-legend">{sentences.join(" ")}</p>;
}
