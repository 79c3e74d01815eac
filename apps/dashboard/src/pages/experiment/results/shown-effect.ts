import type { Experiment, MetricDefinition, MetricResult } from "../../../api/types.ts";
import type { IntervalScale } from "../../../charts/IntervalBar.tsx";
import { lossBound, metricOf } from "../../../format/effect.ts";
import { unitOf } from "../../../format/metric-units.ts";
import { dollars, number, signed, signedPercent } from "../../../format/numbers.ts";
import { manyOf } from "../../../format/unit-words.ts";

/** How effects are shown: relative to control, in the metric's unit, or as totals over 10,000 units. */
export const EFFECT_MODES = ["relative", "absolute", "per-10000"] as const;
export type EffectMode = (typeof EFFECT_MODES)[number];

/** A row's effect as shown. Bounds are null where the interval is open. */
export interface ShownEffect {
  readonly effect: number;
  readonly low: number | null;
  readonly high: number | null;
  /** Undefined: no always-valid interval. */
  readonly seqLow?: number | null;
  readonly seqHigh?: number | null;
  /** The signed end of the acceptable loss; null: no margin. */
  readonly tolerance: number | null;
  readonly write: (value: number) => string;
}

const TEN_THOUSAND = 10_000;
const NO_BREAK = "\u00a0";

/** Returns a row's effect in a mode, or why the mode does not apply to it. */
export function shownEffect(
  row: MetricResult,
  mode: EffectMode,
  { metrics, unit = "user" }: Pick<Experiment, "metrics" | "unit">,
): ShownEffect | string {
  const metric = metricOf(metrics, row);
  if (mode === "relative") return relativeEffect(row, metric);
  if (mode === "absolute") return scaled(row, metric, { factor: 1, write: unitOf(metric).difference });
  if (metric === undefined) return "The metric is no longer defined.";
  const refusal = whyNoTotal(metric, manyOf(unit));
  if (refusal !== null) return refusal;
  return scaled(row, metric, { factor: TEN_THOUSAND, write: totalWriter(metric, manyOf(unit)) });
}

function relativeEffect(row: MetricResult, metric: MetricDefinition | undefined): ShownEffect | string {
  const { relative_effect: effect, control_value: base } = row;
  if (effect === null) {
    return base > 0
      ? "This test has no relative change."
      : "No relative change, because control is not above 0.";
  }
  const over = (value: number | null) => (value === null ? null : value / base);
  return {
    effect,
    low: row.relative_ci_low,
    high: row.relative_ci_high,
    ...(row.ci_seq_low === null && row.ci_seq_high === null
      ? {}
      : { seqLow: over(row.ci_seq_low), seqHigh: over(row.ci_seq_high) }),
    tolerance: over(toleranceOf(row, metric)),
    write: signedPercent,
  };
}

function scaled(
  row: MetricResult,
  metric: MetricDefinition | undefined,
  { factor, write }: { readonly factor: number; readonly write: (value: number) => string },
): ShownEffect {
  const times = (value: number | null) => (value === null ? null : value * factor);
  return {
    effect: row.effect * factor,
    low: times(row.ci_low),
    high: times(row.ci_high),
    ...(row.ci_seq_low === null && row.ci_seq_high === null
      ? {}
      : { seqLow: times(row.ci_seq_low), seqHigh: times(row.ci_seq_high) }),
    tolerance: times(toleranceOf(row, metric)),
    write: (value) => signed(value, write),
  };
}

/** A loss is an increase of what should decrease, and vice versa. */
function toleranceOf(row: MetricResult, metric: MetricDefinition | undefined): number | null {
  const bound = lossBound(row, metric);
  if (bound === null) return null;
  return row.desired === "decrease" ? bound.margin : -bound.margin;
}

function whyNoTotal(metric: MetricDefinition, many: string): string | null {
  if (metric.kind === "ratio" || metric.kind === "quantile")
    return `No total over ${many}, because the metric is not a sum.`;
  if (metric.kind === "ordinal") return "No total, because ranks do not add up.";
  return metric.category === "cost" || metric.category === "business"
    ? null
    : "No total. Only cost and business metrics add up.";
}

function totalWriter({ kind, source }: MetricDefinition, many: string): (value: number) => string {
  if (kind === "binary") return (value) => `${number(value)}${NO_BREAK}${many}`;
  return source !== undefined && "field" in source && source.field === "cost_usd"
    ? dollars
    : (value) => number(value);
}

/** Returns an axis around zero that effects share. Very wide intervals are cut, so that the others stay readable. */
export function axisOf(effects: readonly ShownEffect[]): IntervalScale {
  const points = effects.map(({ effect }) => Math.abs(effect));
  const bounds = effects.flatMap(({ low, high, tolerance }) => [low, high, tolerance]);
  const widest = Math.max(0, ...points, ...bounds.map((bound) => Math.abs(bound ?? 0)));
  const widths = effects.map((one) => widthOf(one)).toSorted((a, b) => a - b);
  const usual = widths[Math.floor((widths.length - 1) / 2)] ?? 0;
  const reach = niceCeiling(Math.min(widest, Math.max(2 * Math.max(0, ...points), 3 * usual))) || 1;
  return { min: -reach, max: reach };
}

function widthOf({ effect, low, high }: ShownEffect): number {
  return Math.max(Math.abs((low ?? effect) - effect), Math.abs((high ?? effect) - effect));
}

/** Rounds up to 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten. */
function niceCeiling(value: number): number {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((candidate) => candidate * power >= value * 0.999999);
  return (step ?? 10) * power;
}
