import type { MetricResult } from "../../../api/types.ts";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { signedPercent } from "../../../format/numbers.ts";
import type { EffectMode } from "./shown-effect.ts";

interface MetricLegendProps {
  readonly rows: readonly MetricResult[];
  readonly mode: EffectMode;
  readonly axis: IntervalScale;
}

const AXES: Readonly<Record<EffectMode, string>> = {
  relative: "All bars share one axis",
  absolute: "Bars of one metric share an axis",
  "per-10000":
    "What the effect adds up to over 10,000 users: with 10,000 new users a month, per month. Bars of one metric share an axis",
};

/** Explains the bars. */
export function MetricLegend({ rows, mode, axis }: MetricLegendProps) {
  const hasWings = rows.some((row) => row.ci_seq_low !== null || row.ci_seq_high !== null);
  const hasGuardrail = rows.some(({ role }) => role === "guardrail");
  const range = mode === "relative" ? `, ${signedPercent(axis.min)} to ${signedPercent(axis.max)}` : "";
  const sentences = [
    `${AXES[mode]}${range}, with control at the line.`,
    "Bar: the 95 % interval, for one look at the planned end. Filled: clear after correction. Outlined: not clear yet. Arrow: it goes on.",
    ...(hasWings ? ["Dashed wings: always valid, however often one looks."] : []),
    ...(hasGuardrail ? ["Shaded: a guardrail's tolerated loss."] : []),
    "n: users analysed.",
  ];
  return <p className="metric-legend">{sentences.join(" ")}</p>;
}
