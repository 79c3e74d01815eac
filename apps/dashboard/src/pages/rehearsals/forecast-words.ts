import { counted, interval, percent, signedPercent } from "../../format/numbers.ts";
import type { Forecast, Ledger } from "./queries.ts";
import { differenceText, metricTitle } from "./rehearsal-words.ts";

type Row = Forecast["rows"][number];
type Item = Ledger["items"][number];
type Pair = Item["pairs"][number];

/** Formats an effect of an experiment: relative to control's value, or in the metric's unit. */
export function onlineText({ metric, unit }: Pick<Row, "metric" | "unit">, value: number): string {
  return unit === "relative" ? signedPercent(value) : differenceText(metric, value);
}

/** Formats the effect to expect with its interval. */
export function forecastText(row: Row): string {
  const write = (value: number) => onlineText(row, value);
  return `${write(row.effect)} (95% CI ${interval(row.low, row.high, write)})`;
}

/** Says what an experiment takes. */
export function neededText(needed: Row["needed"]): string {
  if (needed === null) return "unknown";
  const users = counted(needed.users, "user");
  return needed.days === null ? users : `${users}, ${counted(needed.days, "day")}`;
}

/** Says what became of an experiment. */
export function fateText({ status, outcome, shipped_variant: shipped }: Item["experiment"]): string {
  const decided = outcome === null ? "" : `, ${outcome}`;
  if (shipped !== null) return `shipped ${shipped}${decided}`;
  return `${status}${decided}`;
}

/** Says what was rehearsed and what the experiment found. */
export function pairText(pair: Pair): string {
  const write = (value: number) => onlineText(pair, value);
  const { metric, treatment, rehearsed, found, found_low, found_high } = pair;
  return `${treatment}, ${metricTitle(metric)}: rehearsed ${write(rehearsed)}, found ${write(found)} (95% CI ${interval(found_low, found_high, write)})`;
}

/** Says how well rehearsals and experiments agreed on a metric. */
export function agreementText({ metrics, needed }: Ledger, metric: string): string {
  const summary = metrics.find((one) => one.metric === metric);
  if (summary === undefined) return "";
  const { entries, found, agreed, slope } = summary;
  const clear = `${agreed} of ${counted(found, "clear finding")} agreed in direction with the rehearsal, among ${counted(entries, "pair")}.`;
  return slope === null
    ? `${clear} Once there are ${needed} pairs, they correct the next forecast.`
    : `${clear} Experiments find ${percent(slope)} of what rehearsals show.`;
}
