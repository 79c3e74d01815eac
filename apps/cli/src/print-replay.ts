import type { ExperimentReplaySchema } from "@assay/contract";
import { type ExperimentUnit, UNIT_WORDS } from "@assay/domain";
import type { Static } from "typebox";
import { formatNumber, formatPercent, printTable } from "./print-table.ts";

type Replay = Static<typeof ExperimentReplaySchema>;
type Row = Replay["metrics"][number];

const HEAD = ["false positives (band)", "smallest effect", "spread / se", "verdict"];

/**
 * Prints a replay as a table: the false-positive rate with the range expected of a correct test, the effect that two halves of
 * control detect with 80% power, the spread of effects relative to the standard error, and the verdict. Below it, what to do.
 */
export function printReplay({ control, splits, metrics }: Replay, unit: ExperimentUnit = "user"): void {
  console.log(`A/A replay: ${control} split at random in two, ${splits} times.`);
  if (metrics.length === 0) {
    console.log("There is nothing to compare: the experiment has no metric.");
    return;
  }
  printTable([["metric", UNIT_WORDS[unit].many, ...HEAD], ...metrics.map(line)]);
  for (const { metric, causes, detail } of metrics)
    console.log(`${causes.length === 0 ? "·" : "!"} ${metric}: ${detail}`);
}

function line(row: Row): string[] {
  return [row.metric, String(row.users), formatRate(row), formatEffect(row), formatSpread(row), row.verdict];
}

function formatRate({ false_positive_rate: rate, band_low: low, band_high: high }: Row): string {
  if (rate === null || low === null || high === null) return "";
  return `${formatPercent(rate)} (${formatPercent(low)} … ${formatPercent(high)})`;
}

function formatEffect({ smallest_effect: effect, value }: Row): string {
  if (effect === null) return "";
  const relative = value ? ` (${formatNumber((100 * effect) / Math.abs(value))}%)` : "";
  return `${formatNumber(effect)}${relative}`;
}

function formatSpread({ effect_sd: spread, standard_error: error }: Row): string {
  return spread === null || !error ? "" : (spread / error).toFixed(2);
}
