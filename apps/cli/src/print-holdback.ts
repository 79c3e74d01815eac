import type { ExperimentSchema, HoldbackView } from "@assay/contract";
import { type ExperimentUnit, UNIT_WORDS } from "@assay/domain";
import type { Static } from "typebox";
import { formatNumber, printTable } from "./print-table.ts";

type View = Static<typeof HoldbackView>;
type Week = View["weeks"][number];
type Row = Week["rows"][number];

interface About {
  readonly unit: ExperimentUnit;
  readonly metrics: Static<typeof ExperimentSchema>["metrics"];
  readonly lasts: boolean;
}

/** Prints a holdback's weeks as a table, and below it how the lifts changed since the experiment. */
export function printHoldback(view: View, { unit, metrics, lasts }: About): void {
  const { weeks, changes, ends_at: end, compared_with: night, text_changes: texts } = view;
  console.log(`The holdback ${lasts ? "ends" : "ended"} ${end}. A week is analyzed a day after its end.`);
  for (const { at, variants } of texts)
    console.log(
      `! The prompt or variables of ${variants.join(" and ")} changed on ${at}: weeks before and after compare different texts.`,
    );
  if (weeks.length === 0) return;
  printTable([["week", "metric", "lift", UNIT_WORDS[unit].many], ...weeks.flatMap(lines)]);
  for (const { metric, lift_now, lift_then, ci_low, ci_high, verdict } of changes)
    console.log(
      `${verdict === "smaller" || verdict === "larger" ? "!" : "·"} ${metric}: ${percent(lift_now)} since the shipping, ${percent(lift_then)} until ${night}; difference ${percent(ci_low)} … ${percent(ci_high)}: ${verdict ?? "the test comes a day after the end"}.`,
    );
  // Without a window, a share keeps rising, so of two periods the longer one shows the smaller lift.
  const open = metrics.filter(({ name, kind, window_days: days }) => {
    return kind === "binary" && !days && changes.some(({ metric }) => metric === name);
  });
  for (const { name } of open)
    console.log(
      `! ${name} has no window, so its share rises with time and its lift shrinks: compare the weeks instead.`,
    );
}

function lines({ from, users, is_withheld, rows }: Week): string[][] {
  const week = from.slice(0, 10);
  const counts = Object.entries(users)
    .map(([arm, count]) => `${arm} ${count}`)
    .join(", ");
  if (is_withheld) return [[week, "", "withheld: the split does not match the buckets", counts]];
  if (rows.length === 0) return [[week, "", "too few events", counts]];
  return rows.map((row) => [week, row.metric, liftOf(row), counts]);
}

function liftOf({
  effect,
  relative_effect: lift,
  relative_ci_low: low,
  relative_ci_high: high,
}: Row): string {
  if (lift === null) return formatNumber(effect);
  return low === null || high === null
    ? percent(lift)
    : `${percent(lift)} (${percent(low)} … ${percent(high)})`;
}

const percent = (share: number) => `${share > 0 ? "+" : ""}${formatNumber(100 * share)}%`;
