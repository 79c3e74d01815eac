import type { MetricDefinition, MetricResult, Tradeoff } from "../api/types.ts";
import { metricOf } from "./effect.ts";
import { unitOf } from "./metric-units.ts";
import { dollars, interval } from "./numbers.ts";

type Metrics = readonly MetricDefinition[];

/** Describes a trade-off: "concise saves $4.10 per 1,000 users (95% CI $3.20 to $5.00), and passes is not worse by more than 2 points". */
export function tradeoffClause(tradeoff: Tradeoff, metrics: Metrics): string {
  return `${tradeoff.treatment} ${savingInWords(tradeoff)}, and ${notWorseInWords(tradeoff, metrics)}`;
}

/** Formats a saving: "saves $4.10 per 1,000 users (95% CI $3.20 to $5.00)". */
function savingInWords({ saving: { usd_per_1000_users: usd, ci_low, ci_high } }: Tradeoff): string {
  const bounds = interval(ci_low, ci_high, dollars);
  return `saves ${dollars(usd)} per 1,000\u00a0users (95% CI ${bounds})`;
}

function notWorseInWords({ not_worse: rows }: Tradeoff, metrics: Metrics): string {
  return rows
    .map((row, index) => {
      const margin = unitOf(metricOf(metrics, row)).difference(row.margin);
      return `${row.metric} ${index === 0 ? "is not worse" : "not"} by more than ${margin}`;
    })
    .join(", ");
}

/** Lists the judged metrics, of trade-offs and clear rows, that a verdict relies on although no labels correct their judge. */
export function opinionsBehind(
  tradeoffs: readonly Tradeoff[],
  clear: readonly MetricResult[],
): readonly string[] {
  const traded = tradeoffs.flatMap(({ not_worse: rows }) => rows.filter((row) => row.is_judge_opinion));
  const found = clear.filter(({ judge }) => judge?.calibrated === false);
  return [...new Set([...traded, ...found].map(({ metric }) => metric))];
}

/** Warns that a verdict relies on a judge without enough labels; empty when it does not. */
export function opinionCaveat(metrics: readonly string[]): string {
  if (metrics.length === 0) return "";
  const are = metrics.length === 1 ? "is" : "are";
  return `${metrics.join(" and ")} ${are} only the judge's opinion so far. Label answers before you rely on it.`;
}
