import type { MetricDefinition, Wire } from "../api/types.ts";
import { effectInWords, intervalInWords, metricTitle } from "./effect.ts";
import { count, interval, percent, signedPercent } from "./numbers.ts";
import { day } from "./times.ts";

type View = Wire<"HoldbackView">;
type Change = View["changes"][number];
type Week = View["weeks"][number];

/** A metric's lift in a week, in words. */
export interface WeekRow {
  readonly key: string;
  readonly week: string;
  readonly users: string;
  readonly lift: string;
}

/** Describes a metric's weeks, newest first. `arms` are the shipped variant and control. */
export function weekRows(
  weeks: readonly Week[],
  metric: string,
  { metrics, arms }: { readonly metrics: readonly MetricDefinition[]; readonly arms: readonly string[] },
): readonly WeekRow[] {
  return weeks
    .map((week, index) => ({
      key: week.from,
      week: `${index + 1}: ${day(week.from.slice(0, 10))} to ${day(week.to.slice(0, 10))}`,
      users: arms.map((arm) => count(week.users[arm] ?? 0)).join(" and "),
      lift: liftOf(week, metric, metrics),
    }))
    .toReversed();
}

function liftOf({ is_withheld, rows }: Week, metric: string, metrics: readonly MetricDefinition[]): string {
  if (is_withheld) return "withheld: the split does not match the buckets";
  const row = rows.find((one) => one.metric === metric);
  if (row === undefined) return "too few events";
  const bounds = intervalInWords(row, metrics);
  return `${effectInWords(row, metrics)}${bounds === null ? "" : ` (95% CI ${bounds})`}`;
}

/** Warns that a text changed, so that the weeks before and after are about different texts. */
export function textChangeInWords({ at, variants }: View["text_changes"][number]): string {
  return `The prompt or variables of ${variants.join(" and ")} changed on ${day(at.slice(0, 10))}: weeks before and after compare different texts.`;
}

/** Says in a sentence whether a metric's lift lasted. */
export function changeInWords(change: Change, metrics: readonly MetricDefinition[]): string {
  const { metric, lift_then, lift_now, ci_low, ci_high, verdict } = change;
  const title = metricTitle(metrics, metric);
  const lifts = `${title}: ${signedPercent(lift_now)} since shipping, ${signedPercent(lift_then)} in the experiment.`;
  const bounds = interval(ci_low, ci_high, pointsOf);
  const found = `${lifts} ${VERDICTS[verdict ?? "open"]} (difference ${pointsOf(change.change)}, 95% CI ${bounds}).`;
  return isOpenShare(metrics.find(({ name }) => name === metric)) ? `${found} ${OPEN_SHARE}` : found;
}

/** Whether a metric's share keeps rising: of two periods of different lengths, the longer one has the smaller lift. */
function isOpenShare(metric: MetricDefinition | undefined): boolean {
  return metric?.kind === "binary" && !metric.window_days;
}

const OPEN_SHARE =
  "The metric has no window, so its share rises with time and its lift shrinks: compare the weeks instead.";

const VERDICTS = {
  smaller: "The lift became smaller",
  larger: "The lift became larger",
  "no-difference": "No change of the lift was found, but there may be one",
  open: "Not tested yet: the test runs a day after the holdback ends",
} as const;

/** A difference of two lifts is in percentage points. */
function pointsOf(value: number): string {
  const written = percent(Math.abs(value));
  return `${value < 0 ? "−" : "+"}${written.replace("%", "")}\u00a0points`;
}
