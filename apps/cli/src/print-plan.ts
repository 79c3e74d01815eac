import type { ConfigPlan } from "@assay/contract";
import { type ExperimentUnit, UNIT_WORDS } from "@assay/domain";
import type { Static } from "typebox";
import { formatNumber, formatPercent, printTable } from "./print-table.ts";

type Plan = Static<typeof ConfigPlan>;
type Row = Plan["rows"][number];
type SmallerUnit = Row["smaller_units"][number];

/** Below this gain, smaller units are not suggested: they cannot measure everything that users can. */
const LEAST_GAIN = 1.1;

/**
 * Prints a plan as a table: control's value, the target effect, the users and days that it needs without and with corrected
 * p-values, and the smallest effect that the planned days can detect. Below it: the gain of smaller units, and the plan's basis.
 */
export function printPlan(name: string, plan: Plan, unit: ExperimentUnit = "user"): void {
  const { users_per_day: perDay, power, alpha, horizon } = plan;
  const { one, many } = UNIT_WORDS[unit];
  const traffic =
    perDay === null
      ? `unknown ${many} per day`
      : `${formatNumber(perDay.value)} ${perDay.value === 1 ? one : many} per day (${perDay.source})`;
  console.log(`Plan of ${name}: ${traffic}, power ${formatPercent(power)}, alpha ${formatNumber(alpha)}.`);
  if (plan.rows.length > 0)
    printTable([headOf(plan.rows, many), ...plan.rows.map((row) => lineOf(row, plan.rows))]);
  for (const { metric, smaller_units: units, needed } of firstOfMetrics(plan.rows))
    for (const one of units) console.log(`· ${metric}: ${gainOf(one, needed?.days ?? null)}`);
  const weeks = counted(horizon.horizon_weeks, "week");
  console.log(`Horizon, if it starts without one of its own: ${weeks} (${horizon.basis}).`);
  const notes = [
    ...plan.notes,
    ...plan.rows.flatMap((row) => row.notes.map((note) => `${row.metric}: ${note}`)),
    ...horizon.notes,
  ];
  for (const note of new Set(notes)) console.log(`· ${note}`);
}

/** Takes the first row of each metric: rows of one metric share history, so their gain from smaller units is the same. */
function firstOfMetrics(rows: readonly Row[]): readonly Row[] {
  return [...Map.groupBy(rows, ({ metric }) => metric).values()].map(([first]) => first!);
}

const hasMargin = (rows: readonly Row[]) => rows.some(({ needed_for_margin: margin }) => margin !== null);

function headOf(rows: readonly Row[], many: string): string[] {
  const days = rows.flatMap(({ mde }) => mde?.days ?? [])[0];
  return [
    ...["metric", "treatment", "control's value", "target effect", many, "days", "corrected"],
    ...(hasMargin(rows) ? ["margin"] : []),
    days === undefined ? "smallest effect" : `smallest effect in ${formatNumber(days)} days`,
  ];
}

function lineOf(row: Row, rows: readonly Row[]): string[] {
  const { metric, treatment, baseline, target_effect: target, needed, mde } = row;
  const value = baseline === null ? "unknown" : `${formatNumber(baseline.value)} (${baseline.source})`;
  return [
    ...[metric, treatment, value, effectOf(target)],
    ...[
      needed === null ? "" : withCommas(needed.users_total),
      needed?.days == null ? "" : withCommas(needed.days),
    ],
    needOf(row.needed_corrected),
    ...(hasMargin(rows) ? [needOf(row.needed_for_margin)] : []),
    mde === null ? "" : effectOf(mde),
  ];
}

/** For example "20% (0.02)". */
function effectOf({ relative, absolute }: { relative: number | null; absolute: number | null }): string {
  if (relative === null) return absolute === null ? "" : formatNumber(absolute);
  return absolute === null
    ? formatPercent(relative)
    : `${formatPercent(relative)} (${formatNumber(absolute)})`;
}

/** For example "9,296 in 19 days". */
function needOf(needed: Row["needed"]): string {
  if (needed === null) return "";
  const users = withCommas(needed.users_total);
  return needed.days === null ? users : `${users} in ${counted(needed.days, "day")}`;
}

function gainOf(
  { unit, units_per_user: perUser, correlation, gain, days }: SmallerUnit,
  now: number | null,
): string {
  const { one, many } = UNIT_WORDS[unit];
  const found = `users have ${formatNumber(perUser)} ${many} on average, with a correlation of ${correlation.toFixed(2)}`;
  if (gain < LEAST_GAIN) return `${found}: randomizing ${many} instead of users would gain little.`;
  const time = days === null || now === null ? "" : `, about ${counted(days, "day")} instead of ${now}`;
  return `${found}: if each ${one} got a variant, ${formatNumber(gain)} times fewer ${many} would do${time}.`;
}

const withCommas = (count: number) => count.toLocaleString("en-US");
const counted = (count: number, what: string) => `${withCommas(count)} ${what}${count === 1 ? "" : "s"}`;
