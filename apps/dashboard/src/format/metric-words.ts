import type { MetricDefinition } from "../api/types.ts";
import { scaleOf } from "./judge-words.ts";
import { count, number } from "./numbers.ts";
import { manyOf, type Unit } from "./unit-words.ts";

/** Where a metric's values come from, after the category's default is filled in. */
export type MetricSource = NonNullable<MetricDefinition["source"]>;

const DEFAULT_FIELDS = { latency: "latency_ms", cost: "cost_usd", reliability: "error" } as const;

const FIELD_WORDS = {
  latency_ms: "the time to the full answer",
  time_to_first_token_ms: "the time to the first token",
  input_tokens: "the input tokens",
  output_tokens: "the output tokens",
  cost_usd: "the cost",
  error: "the errors",
} as const;

const RUN_WORDS = {
  turns: "the model calls",
  steps: "the calls of models and tools",
  tool_calls: "the tool calls",
  tool_errors: "the failed tool calls",
  duration_ms: "the duration",
  cost_usd: "the cost",
  completed: "the tasks done",
  handoffs: "the handoffs between agents",
} as const;

const DOWN_BY_DEFAULT: readonly MetricDefinition["category"][] = ["latency", "cost", "reliability"];

/** Returns where the metric's values come from; by default, from its category (contract §5). */
export function sourceOf({ source, category, name }: MetricDefinition): MetricSource {
  if (source !== undefined) return source;
  if (category === "quality") return { event: "judge" };
  if (category === "business") return { event: "business_event", business_metric: name };
  return { event: "model_call", field: DEFAULT_FIELDS[category] };
}

/** Returns whether a judge scores the metric. */
export function isJudged(metric: MetricDefinition): boolean {
  return sourceOf(metric).event === "judge";
}

/** Returns the desired direction: as defined, else by category. */
export function desiredOf({
  desired,
  category,
}: Pick<MetricDefinition, "desired" | "category">): "increase" | "decrease" {
  return desired ?? (DOWN_BY_DEFAULT.includes(category) ? "decrease" : "increase");
}

/** How an event came to the service. */
export type EventSource = NonNullable<MetricDefinition["accept_from"]>[number];

const SOURCE_WORDS: Readonly<Record<EventSource, string>> = {
  publishable: "publishable keys",
  secret: "secret keys",
  import: "imports",
  signed: "signed webhooks",
  test: "test events",
  otlp: "OpenTelemetry",
};

/** Lists sources of events, such as "signed webhooks and imports". */
export function sourcesInWords(sources: readonly EventSource[]): string {
  const words = sources.map((source) => SOURCE_WORDS[source]);
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}

/** Describes what a metric computes in an experiment on these units, in one sentence. */
export function formulaInWords(metric: MetricDefinition, unit: Unit = "user"): string {
  const sentence = `${coreOf(metric, unit)}${endedOf(metric)}${windowOf(metric)}${capOf(metric, unit)}${acceptedOf(metric)}`;
  return `${sentence}.`;
}

function coreOf(metric: MetricDefinition, unit: Unit): string {
  const source = sourceOf(metric);
  const many = manyOf(unit);
  if (source.event === "judge") return judgedCoreOf(metric, unit);
  switch (metric.kind) {
    case "binary":
      return `Share of exposed ${many} with ${anyOf(source)}`;
    case "mean":
      return `${capitalized(sumOf(source))}, summed per exposed ${unit} (0 without any), then averaged over ${many}`;
    case "ratio":
      return `${ratioOf(source)}${analysisOf(unit)}`;
    case "quantile":
      return `${ordinalOf(metric.quantile ?? 0.95)} percentile of ${sumOf(source)} over all ${unitsOf(source)}${analysisOf(unit)}`;
    case "ordinal":
      return `Chance that a ${unit} in the treatment has a higher average of ${sumOf(source)} than a ${unit} in control; ties count half`;
  }
}

/** Values of one user depend on each other, whatever the unit. */
function analysisOf(unit: Unit): string {
  return `; the unit of analysis is the ${unit}${unit === "user" ? "" : ", clustered by user"}`;
}

/**
 * A judge scores a sample of a user's answers, or whole conversations or runs once per day on which they continue. So
 * its scores are averaged, never summed.
 */
function judgedCoreOf(metric: MetricDefinition, unit: Unit): string {
  const isPass = scaleOf(metric.judge) === "pass_fail";
  const many = manyOf(unit);
  const judged = unit === "user" ? "judged answers" : "judgements";
  const all = unit === "user" ? "answers" : many;
  switch (metric.kind) {
    case "binary":
      return `Share of judged ${many} whose ${judged} all pass`;
    case "mean":
      return isPass
        ? `Share of a ${unit}'s ${judged} that pass, averaged over ${many}; each ${unit} counts the same`
        : `The judge's score, averaged over each ${unit}'s ${judged}, then over ${many}; each ${unit} counts the same`;
    case "ordinal":
      return `Chance that a ${unit} in the treatment has a higher average judge score than a ${unit} in control; ties count half`;
    default:
      return isPass
        ? `Share of all ${all} that the judge would pass, estimated from the judged sample${analysisOf(unit)}`
        : `The judge's average score over all ${all}, estimated from the judged sample${analysisOf(unit)}`;
  }
}

type UnjudgedSource = Exclude<MetricSource, { event: "judge" }>;

function ratioOf(source: UnjudgedSource): string {
  if (source.event === "model_call" && source.field === "error") return "Share of model calls that failed";
  if (source.event === "run" && source.field === "completed") return "Share of runs that did their task";
  const units =
    source.event === "run" && source.field === "cost_usd" ? "runs that did their task" : unitsOf(source);
  return `${capitalized(sumOf(source))} divided by the number of ${units}`;
}

function anyOf(source: UnjudgedSource): string {
  if (source.event === "business_event") return `at least one nonzero “${source.business_metric}” event`;
  if (source.event === "run") return "at least one run that did its task";
  return source.field === "error"
    ? "at least one failed model call"
    : `a model call where ${FIELD_WORDS[source.field]} is not 0`;
}

function sumOf(source: UnjudgedSource): string {
  if (source.event === "business_event") return `the value of “${source.business_metric}” events`;
  return source.event === "run"
    ? `${RUN_WORDS[source.field]} of runs`
    : `${FIELD_WORDS[source.field]} of model calls`;
}

function unitsOf(source: UnjudgedSource): string {
  if (source.event === "business_event") return `“${source.business_metric}” events`;
  return source.event === "run" ? "runs" : "model calls";
}

/** A run has no values before it is over. */
function endedOf(metric: MetricDefinition): string {
  return sourceOf(metric).event === "run" ? "; only runs that have ended count" : "";
}

function windowOf({ window_days: days }: MetricDefinition): string {
  if (days === undefined || days === null) return "";
  return `; counts only the first ${count(days)} ${days === 1 ? "day" : "days"} after the first exposure`;
}

function capOf({ cap }: MetricDefinition, unit: Unit): string {
  if (cap === undefined || cap === null) return "";
  return cap === "p99.9"
    ? `; a ${unit}'s value is capped at the 99.9th percentile of all arms`
    : `; a ${unit}'s value is capped at ${number(cap)}`;
}

function acceptedOf({ accept_from: sources }: MetricDefinition): string {
  return sources ? `; counts only events from ${sourcesInWords(sources)}` : "";
}

function ordinalOf(quantile: number): string {
  const text = number(quantile * 100, 4);
  const ending = { "1": "st", "2": "nd", "3": "rd" }[/(?:^|[^1.])([123])$/.exec(text)?.[1] ?? ""] ?? "th";
  return `${text}${ending}`;
}

/** Returns the text with its first letter in upper case. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
