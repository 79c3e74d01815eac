import type { ExperimentOverview, MetricDefinition, MetricResult } from "../api/types.ts";
import { isolated } from "./isolated.ts";
import { unitOf } from "./metric-units.ts";
import { interval, percent, signed, signedPercent } from "./numbers.ts";

/** What a sentence about a comparison needs: a row of a run, or the leading row of an overview. */
export type EffectRow = Omit<NonNullable<ExperimentOverview["primary"]>, "p_value_fdr">;

/** The numbers of an effect. */
type Effect = Pick<
  EffectRow,
  "metric" | "effect" | "ci_low" | "ci_high" | "relative_effect" | "relative_ci_low" | "relative_ci_high"
>;

type Metrics = readonly MetricDefinition[];

/** Finds the definition behind a row; undefined when the metric was renamed or removed since. */
export function metricOf(
  metrics: Metrics,
  { metric }: Pick<EffectRow, "metric">,
): MetricDefinition | undefined {
  return metrics.find(({ name }) => name === metric);
}

/** Returns a metric's title. Sentences use its name, as code and the API do. */
export function metricTitle(metrics: Metrics, name: string): string {
  return metrics.find((metric) => metric.name === name)?.display_name ?? name;
}

/** Formats an effect with its sign: relative to control where possible, else in the metric's unit. */
export function effectInWords(row: Effect, metrics: Metrics): string {
  return row.relative_effect === null
    ? signed(row.effect, unitOf(metricOf(metrics, row)).difference)
    : signedPercent(row.relative_effect);
}

/** Formats the 95% CI of the effect; null when the test gives none. */
export function intervalInWords(row: Effect, metrics: Metrics): string | null {
  const { difference } = unitOf(metricOf(metrics, row));
  return row.relative_effect === null
    ? interval(row.ci_low, row.ci_high, (value) => signed(value, difference))
    : interval(row.relative_ci_low, row.relative_ci_high, signedPercent);
}

/** Describes what a treatment does to a metric: "concise lowers answer_tokens by 18% (95% CI −21% to −15%)". */
export function changeClause(row: EffectRow, metrics: Metrics): string {
  const { difference } = unitOf(metricOf(metrics, row));
  const size =
    row.relative_effect === null ? difference(Math.abs(row.effect)) : percent(Math.abs(row.relative_effect));
  return `${row.treatment} ${row.effect < 0 ? "lowers" : "raises"} ${row.metric} by ${size}${inBrackets(row, metrics)}`;
}

/** Describes a difference that is not clear: "concise vs control: +1.2% (95% CI −3% to +5%)". */
export function unclearClause(row: EffectRow, control: string, metrics: Metrics): string {
  return `${row.treatment} vs ${isolated(control)}: ${effectInWords(row, metrics)}${inBrackets(row, metrics)}`;
}

function inBrackets(row: EffectRow, metrics: Metrics): string {
  const bounds = intervalInWords(row, metrics);
  return bounds === null ? "" : ` (95% CI ${bounds})`;
}

/** A guardrail's result: worse, not worse by more than the margin, or neither. */
export type GuardrailAnswer = "worse" | "tolerable" | "unclear";

type BoundedRow = Pick<MetricResult, "desired" | "ci_low" | "ci_high" | "non_inferiority">;

/** Judges a guardrail: tolerable once its whole interval is within the margin, even if the loss is significant. */
export function guardrailAnswer(
  row: BoundedRow & Pick<MetricResult, "verdict">,
  metric: MetricDefinition | undefined,
): GuardrailAnswer {
  if (lossBound(row, metric)?.isNotWorse) return "tolerable";
  return row.verdict === "worse" ? "worse" : "unclear";
}

/** The largest possible and the largest acceptable loss, in the metric's unit. */
export interface LossBound {
  readonly margin: number;
  /** Null: the run gives no bound. */
  readonly worstLoss: number | null;
  readonly isNotWorse: boolean;
}

/** Compares a row with its metric's margin. Null without one. Older runs do not store the margin, so the current one is used. */
export function lossBound(row: BoundedRow, metric: MetricDefinition | undefined): LossBound | null {
  const stored = row.non_inferiority;
  if (stored) return { margin: stored.margin, worstLoss: stored.worst_loss, isNotWorse: stored.is_not_worse };
  const margin = metric?.margin ?? null;
  if (margin === null) return null;
  const loss = worstLoss(row);
  return { margin, worstLoss: loss, isNotWorse: loss !== null && loss < margin };
}

/** Compares a row with its metric's margin in words: "not worse by more than 2 points". Null without one. */
export function lossInWords(row: BoundedRow, metric: MetricDefinition | undefined): string | null {
  const bound = lossBound(row, metric);
  if (bound === null) return null;
  const { difference } = unitOf(metric);
  const { margin, worstLoss: loss, isNotWorse } = bound;
  if (isNotWorse) return `not worse by more than ${difference(margin)}`;
  if (loss === null) return `no bound on the loss (${difference(margin)} allowed)`;
  return `may be worse by up to ${difference(loss)} (${difference(margin)} allowed)`;
}

/** Returns the largest loss inside the interval, in the metric's unit; null: unbounded. */
export function worstLoss(row: Pick<MetricResult, "desired" | "ci_low" | "ci_high">): number | null {
  if (row.desired === "decrease") return row.ci_high;
  return row.ci_low === null ? null : -row.ci_low;
}
