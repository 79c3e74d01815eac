import type { MetricDefinition } from "../api/types.ts";
import { count, number } from "./numbers.ts";
import { scaleOf } from "./scores.ts";

/** Where a metric's values come from, after the category's default has been filled in. */
export type MetricSource = NonNullable<MetricDefinition["source"]>;

const DEFAULT_FIELDS = { latency: "latency_ms", cost: "cost_usd", reliability: "error" } as const;

const FIELD_WORDS = {
  latency_ms: "the time to the whole answer",
  time_to_first_token_ms: "the time to the first token",
  input_tokens: "the input tokens",
  output_tokens: "the output tokens",
  cost_usd: "the cost",
  error: "the errors",
} as const;

const DOWN_BY_DEFAULT: readonly MetricDefinition["category"][] = ["latency", "cost", "reliability"];

/** Returns where the metric's values come from; without a source, what its category names (contract §5). */
export function sourceOf({ source, category, name }: MetricDefinition): MetricSource {
  if (source !== undefined) return source;
  if (category === "quality") return { event: "judge" };
  if (category === "business") return { event: "business_event", business_metric: name };
  return { event: "model_call", field: DEFAULT_FIELDS[category] };
}

/** Tells whether a judge gives the metric its values. */
export function isJudged(metric: MetricDefinition): boolean {
  return sourceOf(metric).event === "judge";
}

/** Returns the direction that is wanted: as defined, else by category. */
export function desiredOf({
  desired,
  category,
}: Pick<MetricDefinition, "desired" | "category">): "increase" | "decrease" {
  return desired ?? (DOWN_BY_DEFAULT.includes(category) ? "decrease" : "increase");
}

/** Writes what a metric computes as one sentence. */
export function formulaInWords(metric: MetricDefinition): string {
  const sentence = `${coreOf(metric)}${windowOf(metric)}${capOf(metric)}`;
  return `${sentence}.`;
}

function coreOf(metric: MetricDefinition): string {
  const source = sourceOf(metric);
  if (source.event === "judge") return judgedCoreOf(metric);
  switch (metric.kind) {
    case "binary":
      return `Share of exposed users with ${anyOf(source)}`;
    case "mean":
      return `${capitalised(sumOf(source))}, summed per exposed user (nothing counts as 0), then averaged over the users`;
    case "ratio":
      return source.event === "model_call" && source.field === "error"
        ? "Share of model calls that failed; users are the unit, not calls"
        : `${capitalised(sumOf(source))} divided by the number of ${unitsOf(source)}; users are the unit, not calls`;
    case "quantile":
      return `${ordinalOf(metric.quantile ?? 0.95)} percentile of ${sumOf(source)} over all ${unitsOf(source)}; users are the unit, not calls`;
    case "ordinal":
      return `Chance that a treatment's user has a higher average of ${sumOf(source)} than control's, ties counted half`;
  }
}

/** A judge's scores are a sample of a user's answers: they are averaged, never summed. */
function judgedCoreOf(metric: MetricDefinition): string {
  const isPass = scaleOf(metric.judge) === "pass_fail";
  switch (metric.kind) {
    case "binary":
      return "Share of judged users none of whose judged answers fails";
    case "mean":
      return isPass
        ? "Share of a user's judged answers that pass, averaged over the users: each user counts the same"
        : "The judge's score, averaged over each user's judged answers, then over the users: each user counts the same";
    case "ordinal":
      return "Chance that a treatment's user has a higher average of the judge's score than control's, ties counted half";
    default:
      return isPass
        ? "Share of all answers that the judge would pass, estimated from those it was shown; users are the unit, not answers"
        : "The judge's average score of all answers, estimated from those it was shown; users are the unit, not answers";
  }
}

type UnjudgedSource = Exclude<MetricSource, { event: "judge" }>;

function anyOf(source: UnjudgedSource): string {
  if (source.event === "business_event") return `at least one “${source.business_metric}” event other than 0`;
  return source.field === "error"
    ? "at least one failed model call"
    : `a model call where ${FIELD_WORDS[source.field]} is not 0`;
}

function sumOf(source: UnjudgedSource): string {
  if (source.event === "business_event") return `the value of “${source.business_metric}” events`;
  return `${FIELD_WORDS[source.field]} of model calls`;
}

function unitsOf(source: UnjudgedSource): string {
  return source.event === "business_event" ? `“${source.business_metric}” events` : "model calls";
}

function windowOf({ window_days: days }: MetricDefinition): string {
  if (days === undefined || days === null) return "";
  return `; only what happens within ${count(days)} ${days === 1 ? "day" : "days"} of the first exposure`;
}

function capOf({ cap }: MetricDefinition): string {
  if (cap === undefined || cap === null) return "";
  return cap === "p99.9"
    ? "; a user's value counts as the 99.9 % quantile of all arms at most"
    : `; a user's value counts as ${number(cap)} at most`;
}

function ordinalOf(quantile: number): string {
  const text = number(quantile * 100, 4);
  const ending = { "1": "st", "2": "nd", "3": "rd" }[/(?:^|[^1.])([123])$/.exec(text)?.[1] ?? ""] ?? "th";
  return `${text}${ending}`;
}

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
