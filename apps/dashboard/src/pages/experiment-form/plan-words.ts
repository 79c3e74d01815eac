import type { WithArrays } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { count, counted, number, percent } from "../../format/numbers.ts";
import { manyOf, type Unit } from "../../format/unit-words.ts";
import type { ExperimentValues } from "./form-values.ts";
import { isOfRuns, type MetricValues } from "./metric-values.ts";

export type Plan = Wire<"ConfigPlan">;
type PlanRow = Plan["rows"][number];
type PlanRequest = NonNullable<WithArrays<Wire<"ConfigPlanRequest">>["plan"]>;

/** The plan in words, and what it still needs. */
export interface PlanWords {
  readonly sentence: string;
  /** What randomizing smaller units would gain, one sentence for each. */
  readonly units: readonly string[];
  readonly details: readonly string[];
  readonly asksUsers: boolean;
  readonly asksBaseline: boolean;
}

/** The planned metric: the primary one, else the first. */
export function plannedMetric(metrics: readonly MetricValues[]): MetricValues | null {
  return metrics.find(({ role }) => role === "primary") ?? metrics[0] ?? null;
}

/** Describes how long the experiment takes, by the metric's slowest comparison. */
export function planWords(plan: Plan, metric: string, unit: Unit = "user"): PlanWords {
  const rows = plan.rows.filter((row) => row.metric === metric);
  const row = rows.reduce<PlanRow | null>(
    (slowest, each) => (isSlower(each, slowest) ? each : slowest),
    null,
  );
  const asksUsers = plan.users_per_day?.source !== "history";
  const asksBaseline = row !== null && row.baseline?.source !== "history";
  if (row === null) {
    return {
      sentence: "Nothing to plan: no variant is compared with control.",
      units: [],
      details: plan.notes,
      asksUsers: false,
      asksBaseline: false,
    };
  }
  return {
    sentence: sentenceOf(row, plan, unit),
    units: row.smaller_units.map((unit) => unitSentence(unit, row.needed?.days ?? null)),
    details: detailsOf(row, plan, unit),
    asksUsers,
    asksBaseline,
  };
}

/** Below this gain, smaller units are not worth what they cannot show. */
const LEAST_GAIN = 1.1;

function unitSentence(
  { unit, units_per_user, correlation, gain, days }: PlanRow["smaller_units"][number],
  daysOfUsers: number | null,
): string {
  const found = `Users have ${number(units_per_user)} ${unit}s on average, with a correlation of ${number(correlation, 2)}`;
  if (gain < LEAST_GAIN) return `${found}: randomizing ${unit}s instead of users would gain little.`;
  const time =
    days === null || daysOfUsers === null
      ? ""
      : `, about ${counted(days, "day")} instead of ${count(daysOfUsers)}`;
  return `${found}: if each ${unit} got a variant, ${number(gain, 2)} times fewer ${unit}s would be enough${time}.`;
}

function sentenceOf(
  { needed, target_effect, baseline, notes }: PlanRow,
  { users_per_day }: Plan,
  unit: Unit,
): string {
  if (baseline === null) return "The duration depends on control's current value. Enter it below.";
  if (needed === null) return notes[0] ?? "No duration is long enough to detect a change of this size.";
  const change = `a change of ${percent(target_effect.relative, 2)} or more`;
  if (users_per_day === null || needed.days === null) {
    return `You need about ${counted(needed.users_total, unit)} to detect ${change}.`;
  }
  const users = count(users_per_day.value);
  return `With about ${users} ${manyOf(unit)} per day, you can detect ${change} in ${counted(needed.days, "day")}.`;
}

function detailsOf(row: PlanRow, { users_per_day, power, rows }: Plan, unit: Unit): readonly string[] {
  const { needed, needed_corrected, mde, notes } = row;
  const details: string[] = [];
  if (needed && users_per_day !== null)
    details.push(`That is ${counted(needed.users_total, unit)} in total.`);
  if (needed && needed_corrected?.days && needed_corrected.days !== needed.days)
    details.push(
      `Up to ${counted(needed_corrected.days, "day")} if no other comparison shows a difference, because p-values are corrected for their number.`,
    );
  details.push(...marginWords(rows, unit));
  if (mde?.relative)
    details.push(
      `After ${number(mde.days)} days, a change of ${percent(Math.abs(mde.relative), 2)} or more is detectable.`,
    );
  if (needed) details.push(`Power: ${percent(power, 2)}.`);
  return row.baseline === null ? details : [...details, ...(needed === null ? [] : notes)];
}

/** When each margin is settled, by its slowest treatment. */
function marginWords(rows: readonly PlanRow[], unit: Unit): readonly string[] {
  const byMetric = Map.groupBy(rows, ({ metric }) => metric);
  return [...byMetric].flatMap(([metric, own]) => {
    const needs = own.flatMap(({ needed_for_margin }) => needed_for_margin ?? []);
    const slowest = needs.toSorted((a, b) => b.users_total - a.users_total)[0];
    if (slowest === undefined) return [];
    const users = counted(slowest.users_total, unit);
    const time = slowest.days === null ? users : `${counted(slowest.days, "day")} and ${users}`;
    return [`The margin of ${metric} is settled after ${time} if the variants are alike.`];
  });
}

/** Describes what an experiment that starts without a horizon gets. Its notes say why it could not be planned. */
export function horizonWords({ horizon_weeks, basis, notes }: Plan["horizon"]): readonly string[] {
  const weeks = `From what is known now: ${counted(horizon_weeks, "week")}`;
  const why = basis === "traffic" ? ", planned from the traffic, the target effects and the margins." : ".";
  return [`${weeks}${why}`, ...notes];
}

function isSlower(row: PlanRow, than: PlanRow | null): boolean {
  return than === null || (row.needed?.users_total ?? 0) > (than.needed?.users_total ?? 0);
}

/** Builds the request from values entered by hand; a missing standard deviation is estimated from the value. */
export function planRequest({ metrics, usersPerDay, plan }: ExperimentValues): PlanRequest {
  const known = metrics.flatMap((metric) => {
    const baseline = baselineOf(metric);
    return baseline === null ? [] : [[metric.name.trim(), baseline] as const];
  });
  return {
    alpha: plan.alpha ?? undefined,
    power: plan.power ?? undefined,
    ...(usersPerDay === null || usersPerDay <= 0 ? {} : { users_per_day: usersPerDay }),
    ...(known.length === 0 ? {} : { baselines: Object.fromEntries(known) }),
  };
}

/** For an exponential distribution, √(q (1 − q)) / f(x_q) is 1.45 x_q at the 95th percentile. */
const QUANTILE_SPREAD = 1.5;

function baselineOf(metric: MetricValues): { value: number; sd?: number } | null {
  const { kind, baseline, baselineSd } = metric;
  if (baseline === null) return null;
  if (kind === "binary") return baseline >= 0 && baseline <= 1 ? { value: baseline } : null;
  return { value: baseline, sd: baselineSd ?? guessedSpread(metric, baseline) };
}

function guessedSpread({ kind, source }: MetricValues, value: number): number {
  if (source === "error" || (kind === "ratio" && (source === "judge" || source === "run:completed")))
    return Math.sqrt(Math.max(0, value * (1 - value)));
  return Math.abs(value) * (kind === "quantile" ? QUANTILE_SPREAD : 1);
}

/** Returns the label of a metric's baseline field. */
export function baselineQuestion({ kind, source, quantile }: MetricValues, unit: Unit = "user"): string {
  if (kind === "ratio" && source === "run:completed") return "Share of runs that do their task today";
  if (kind === "ratio" && source === "run:cost_usd") return "Today's cost per task done";
  if (kind === "ratio" && isOfRuns({ source })) return "Today's average per run";
  if (kind === "binary") return `Share of ${manyOf(unit)} today`;
  if (source === "error") return "Share of calls that fail today";
  if (kind === "quantile") return `Today's p${Math.round((quantile ?? 0.95) * 100)}`;
  return kind === "ratio" ? "Today's average per call" : `Today's average per ${unit}`;
}

/** Explains the default standard deviation. */
export function spreadHint({ kind, source }: MetricValues, unit: Unit = "user"): string {
  if (source === "error" || (kind === "ratio" && source === "judge"))
    return `Empty: assumes one call per ${unit}.`;
  if (kind === "ratio" && source === "run:completed") return `Empty: assumes one run per ${unit}.`;
  return kind === "quantile"
    ? "Empty: 1.5 times the value above, typical of latencies."
    : "Empty: equal to the average, typical of costs and counts.";
}
