import {
  count,
  counted,
  dollars,
  interval,
  milliseconds,
  number,
  percent,
  points,
  signed,
} from "../../format/numbers.ts";
import type { Tone } from "../../ui/Notice.tsx";
import type { ArmVerdict, Dataset, Rehearsal, RehearsalRow, RehearsalSummary } from "./queries.ts";

interface Word {
  readonly word: string;
  readonly tone: Tone;
}

const VERDICTS: Readonly<Record<ArmVerdict["verdict"], Word>> = {
  "not-worse": { word: "Not worse", tone: "good" },
  worse: { word: "Worse", tone: "bad" },
  undecided: { word: "Undecided", tone: "warn" },
  invalid: { word: "Invalid", tone: "bad" },
};

/** Names a verdict. While answers are missing, a measurement that allows no verdict yet is not a fault. */
export function verdictWord(verdict: ArmVerdict["verdict"], state: Rehearsal["state"]): Word {
  return verdict === "invalid" && state === "running"
    ? { word: "Too early", tone: "info" }
    : VERDICTS[verdict];
}

const ENDS: Readonly<Record<NonNullable<Rehearsal["ended_because"]>, string>> = {
  completed: "Done",
  enough: "Done: enough is known",
  budget: "Done: the budget is spent",
};

/** Describes how far a rehearsal is. */
export function stateWord({
  state,
  ended_because: end,
  fault,
}: Pick<RehearsalSummary, "state" | "ended_because" | "fault">): Word {
  if (state === "running")
    return fault === null
      ? { word: "Running", tone: "info" }
      : { word: "Running, but waiting", tone: "warn" };
  if (state === "paused") return { word: "Paused", tone: "warn" };
  if (state === "stopped") return { word: "Stopped", tone: "warn" };
  return { word: end === null ? "Done" : ENDS[end], tone: "good" };
}

/** Whether nothing more is asked. */
export const hasEnded = ({ state }: Pick<Rehearsal, "state">): boolean =>
  state === "done" || state === "stopped";

interface MetricWords {
  readonly title: string;
  /** Formats a value, and the size of a difference. */
  readonly value: (value: number) => string;
  readonly difference: (value: number) => string;
}

const METRICS: Readonly<Record<RehearsalRow["metric"], MetricWords>> = {
  preference: { title: "Preference", value: number, difference: number },
  score: { title: "Score", value: number, difference: number },
  error: { title: "Failed answers", value: percent, difference: points },
  latency_ms: { title: "Latency", value: milliseconds, difference: milliseconds },
  cost_usd: { title: "Cost of an answer", value: dollars, difference: dollars },
  output_tokens: { title: "Output tokens", value: number, difference: number },
  length: { title: "Length in characters", value: number, difference: number },
};

/** Names a metric of a rehearsal. */
export function metricTitle(metric: RehearsalRow["metric"]): string {
  return METRICS[metric].title;
}

/** Names the metric of a row, with what corrected it. */
export function rowTitle({ metric, is_corrected: isCorrected, picks }: RehearsalRow): string {
  return isCorrected
    ? `${metricTitle(metric)}, corrected by ${counted(picks, "blind pick")}`
    : metricTitle(metric);
}

/** Formats a mean of an arm; "none" without one. */
export function meanText(metric: RehearsalRow["metric"], value: number | null): string {
  return value === null ? "none" : METRICS[metric].value(value);
}

/** Formats a difference in the metric's unit. */
export function differenceText(metric: RehearsalRow["metric"], value: number): string {
  return signed(value, METRICS[metric].difference);
}

/** Formats an effect with its interval. */
export function effectText({ metric, effect, ci_low, ci_high }: RehearsalRow): string {
  if (effect === null) return "no data";
  const write = (value: number) => differenceText(metric, value);
  const bounds = interval(ci_low, ci_high, write);
  return bounds === null ? write(effect) : `${write(effect)} (95% CI ${bounds})`;
}

/** Whether a significant difference is good: higher for quality, lower for everything else except length. */
export function toneOf({ metric, effect, is_significant }: RehearsalRow): "good" | "bad" | "quiet" {
  if (!is_significant || effect === null || effect === 0) return "quiet";
  if (metric === "length" || metric === "output_tokens") return "quiet";
  const isMoreBetter = metric === "preference" || metric === "score";
  return effect > 0 === isMoreBetter ? "good" : "bad";
}

/** Says where a dataset's inputs come from. */
export function sourceText({ source }: Pick<Dataset, "source">): string {
  return source.kind === "calls" ? `drawn from ${count(source.calls)} calls` : `uploaded as ${source.format}`;
}

/** Describes how much a judge prefers the answer that it sees first. Null in mode `score`. */
export function orderBiasText({ report: { order_bias: bias } }: Pick<Rehearsal, "report">): string | null {
  if (bias === null) return null;
  const { estimate, low, high, inconsistent_share: share } = bias;
  const write = (value: number) => signed(value, number);
  return `The judge prefers the answer that it sees first by ${write(estimate)} (95% CI ${write(low)} to ${write(high)}; 0 is no bias). In ${percent(share)} of the pairs, its two judgements contradict each other: these count as ties.`;
}
