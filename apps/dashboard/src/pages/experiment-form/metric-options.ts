import { SCALE_WORDS, type Scale } from "../../format/judge-words.ts";
import { unitOf } from "../../format/metric-units.ts";
import { capitalized, type EventSource, sourcesInWords } from "../../format/metric-words.ts";
import { manyOf, type Unit } from "../../format/unit-words.ts";
import type { Option } from "../../ui/Field.tsx";
import {
  isKindAllowed,
  isOfRuns,
  type MetricKind,
  type MetricRole,
  type MetricValues,
  POOLED_CAP,
  type SourceChoice,
  toMetric,
  withCap,
} from "./metric-values.ts";

export const ROLES: readonly Option<MetricRole>[] = [
  { value: "primary", label: "Primary", detail: "Decides." },
  { value: "guardrail", label: "Guardrail", detail: "Must not get worse." },
  { value: "secondary", label: "Other", detail: "For information." },
];

export const DIRECTIONS: readonly Option<MetricValues["desired"]>[] = [
  { value: "increase", label: "Higher is better" },
  { value: "decrease", label: "Lower is better" },
];

const kindsOfValues = (unit: Unit): readonly Option<MetricKind>[] => [
  { value: "binary", label: `Share of ${manyOf(unit)}`, detail: "with at least one nonzero value" },
  { value: "mean", label: `Total per ${unit}`, detail: `the sum of a ${unit}'s values; 0 without any` },
  { value: "ratio", label: "Average per call", detail: "over all calls, clustered by user" },
  { value: "quantile", label: "Quantile over calls", detail: "such as p95" },
  { value: "ordinal", label: `Ranked score per ${unit}`, detail: "grades or stars, compared by rank" },
];

/** A judge scores single answers of users, and whole conversations or runs. */
function judgedKinds(unit: Unit): readonly Option<MetricKind>[] {
  const judged = unit === "user" ? "answer" : "judgement";
  const all = unit === "user" ? "judged answers" : "judgements";
  return [
    { value: "ratio", label: `Average per ${judged}`, detail: `each ${judged} counts the same` },
    { value: "mean", label: `Average per ${unit}`, detail: `each ${unit} counts the same` },
    { value: "binary", label: `Share of ${manyOf(unit)}`, detail: `whose ${all} all pass` },
    { value: "ordinal", label: `Ranked score per ${unit}`, detail: "grades, compared by rank" },
  ];
}

const RATIOS_OF_RUNS: Readonly<Partial<Record<SourceChoice, RatioWords>>> = {
  "run:cost_usd": { label: "Cost per task done", detail: "what all runs cost, per run that did its task" },
  "run:completed": { label: "Share of runs", detail: "that did their task, clustered by user" },
};
const RATIO_OF_RUNS: RatioWords = {
  label: "Average per run",
  detail: "over all runs that have ended, clustered by user",
};
type RatioWords = Pick<Option<MetricKind>, "label" | "detail">;

function runKinds(source: SourceChoice, unit: Unit): readonly Option<MetricKind>[] {
  return [
    { value: "ratio", ...(RATIOS_OF_RUNS[source] ?? RATIO_OF_RUNS) },
    {
      value: "mean",
      label: `Total per ${unit}`,
      detail: `over a ${unit}'s runs that have ended; 0 without any`,
    },
    { value: "quantile", label: "Quantile over runs", detail: "such as p95" },
    { value: "binary", label: `Share of ${manyOf(unit)}`, detail: "with at least one run that did its task" },
  ];
}

/** The ways to combine a unit's values that the metric's source allows. */
export function kindsOf(
  metric: Pick<MetricValues, "source" | "scale">,
  unit: Unit = "user",
): readonly Option<MetricKind>[] {
  const { source } = metric;
  const ofEvents = () => (source === "judge" ? judgedKinds(unit) : kindsOfValues(unit));
  const all = isOfRuns(metric) ? runKinds(source, unit) : ofEvents();
  return all.filter(({ value }) => isKindAllowed(value, metric));
}

/** The caps to choose from: none, the pooled one, and the number that the metric already has. */
export function capsOf(
  { kept: { cap } }: Pick<MetricValues, "kept">,
  unit: Unit = "user",
): readonly Option<string>[] {
  const number = typeof cap === "number" ? [{ value: String(cap), label: `At most ${cap}` }] : [];
  return [
    {
      value: POOLED_CAP,
      label: "99.9% quantile",
      detail: `of all arms together; a few extreme ${manyOf(unit)} weigh less`,
    },
    { value: NO_CAP, label: "None", detail: `a few extreme ${manyOf(unit)} may decide the result` },
    ...number,
  ];
}

const NO_CAP = "none";

/** The option that stands for the metric's cap. */
export function capOptionOf({ kept: { cap } }: Pick<MetricValues, "kept">): string {
  return String(cap ?? NO_CAP);
}

/** Chooses a cap by its option. */
export function withCapOption(values: MetricValues, option: string): MetricValues {
  if (option === POOLED_CAP) return withCap(values, POOLED_CAP);
  return withCap(values, option === NO_CAP ? null : Number(option));
}

export const SCALES: readonly Option<Scale>[] = [
  {
    value: "pass_fail",
    label: capitalized(SCALE_WORDS.pass_fail),
    detail: "One clear criterion; people agree on it best.",
  },
  { value: "1-5", label: SCALE_WORDS["1-5"], detail: "Whole points, such as grades." },
  { value: "0-1", label: SCALE_WORDS["0-1"], detail: "Any number, such as the share that is correct." },
];

/** Sources that cannot be forged, because their senders hold a secret. */
export const TRUSTED: readonly EventSource[] = ["signed", "secret", "import"];
/** Those of runs: OpenTelemetry needs a secret key, too. */
const TRUSTED_OF_RUNS: readonly EventSource[] = [...TRUSTED, "otlp"];
const trustedFor = (values: Pick<MetricValues, "source">) => (isOfRuns(values) ? TRUSTED_OF_RUNS : TRUSTED);
type WithOrigin = Pick<MetricValues, "acceptFrom" | "source">;
type Origin = "any" | "trusted" | "listed";

const ORIGINS: readonly Option<Origin>[] = [
  { value: "any", label: "Anywhere", detail: "Every event counts, whatever key sent it." },
  {
    value: "trusted",
    label: "Trusted sources",
    detail:
      "Only events from senders with a secret count: signed webhooks, secret keys and imports; for runs, also OpenTelemetry.",
  },
];

/** Where a metric's events may come from, in one word. */
export function originOf(values: WithOrigin): Origin {
  const { acceptFrom } = values;
  if (!acceptFrom) return "any";
  const trusted = trustedFor(values);
  const isTrusted =
    acceptFrom.length === trusted.length && trusted.every((source) => acceptFrom.includes(source));
  return isTrusted ? "trusted" : "listed";
}

/** The origins to choose from. A different list, which the API allows, is kept. */
export function originsOf(values: WithOrigin): readonly Option<Origin>[] {
  if (originOf(values) !== "listed") return ORIGINS;
  return [...ORIGINS, { value: "listed", label: capitalized(sourcesInWords(values.acceptFrom ?? [])) }];
}

/** Sets where the metric's events may come from. */
export function withOrigin(values: MetricValues, origin: Origin): MetricValues {
  if (origin === "listed") return values;
  return { ...values, acceptFrom: origin === "any" ? null : [...trustedFor(values)] };
}

export const SOURCES: readonly Option<SourceChoice>[] = [
  { value: "cost_usd", label: "Cost of a model call" },
  { value: "latency_ms", label: "Latency of a model call" },
  { value: "time_to_first_token_ms", label: "Time to the first token" },
  { value: "input_tokens", label: "Input tokens of a model call" },
  { value: "output_tokens", label: "Output tokens of a model call" },
  { value: "error", label: "Error of a model call" },
  { value: "run:completed", label: "Whether an agent's run did its task" },
  { value: "run:cost_usd", label: "Cost of an agent's run" },
  { value: "run:duration_ms", label: "Duration of an agent's run" },
  { value: "run:turns", label: "Model calls of an agent's run" },
  { value: "run:tool_calls", label: "Tool calls of an agent's run" },
  { value: "run:tool_errors", label: "Failed tool calls of an agent's run" },
  { value: "run:steps", label: "Model and tool calls of an agent's run" },
  { value: "run:handoffs", label: "Handoffs between agents in a run" },
  { value: "business_event", label: "An event of your application" },
  { value: "judge", label: "A judge's score" },
];

export interface FieldUnit {
  readonly formatOptions: Intl.NumberFormatOptions;
  /** Null: the format shows it. */
  readonly words: string | null;
}

/** How margin and baseline of the metric are entered. */
export function fieldUnit({
  kind,
  source,
  scale,
}: Pick<MetricValues, "kind" | "source" | "scale">): FieldUnit {
  const isPassRate = source === "judge" && scale === "pass_fail" && kind !== "ordinal";
  if (kind === "binary" || source === "error" || source === "run:completed" || isPassRate) {
    return { formatOptions: { style: "percent", maximumFractionDigits: 3 }, words: "in percentage points" };
  }
  if (source === "cost_usd" || source === "run:cost_usd") {
    return { formatOptions: { style: "currency", currency: "USD", maximumFractionDigits: 6 }, words: null };
  }
  const plain = { maximumFractionDigits: 6 };
  if (source.endsWith("_ms")) return { formatOptions: plain, words: "in milliseconds" };
  if (source.endsWith("_tokens")) return { formatOptions: plain, words: "in tokens" };
  if (source === "judge" && kind !== "ordinal") {
    return { formatOptions: plain, words: `on the scale ${SCALE_WORDS[scale]}` };
  }
  return { formatOptions: plain, words: null };
}

/** Explains a metric's margin as entered. */
export function marginHint(values: MetricValues): string {
  const { margin, desired, name } = values;
  const unit = fieldUnit(values).words;
  if (margin === null)
    return `${unit === null ? "" : `${capitalized(unit)}. `}Without it, no treatment can be shown to be “not worse”.`;
  const size = unitOf(toMetric(values)).difference(margin);
  return `A treatment is “not worse” once ${name || "it"} can have ${desired === "increase" ? "fallen" : "risen"} by less than ${size}.`;
}
