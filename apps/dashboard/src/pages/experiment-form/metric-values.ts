import type { WithArrays } from "../../api/client.ts";
import type { MetricDefinition } from "../../api/types.ts";
import { DEFAULT_SAMPLE_RATE, type Judge, type Scale, scaleOf } from "../../format/judge-words.ts";
import { desiredOf, type EventSource, type MetricSource, sourceOf } from "../../format/metric-words.ts";

export type MetricKind = MetricDefinition["kind"];
export type MetricRole = NonNullable<MetricDefinition["role"]>;
export type Direction = NonNullable<MetricDefinition["desired"]>;
type CallField = Extract<MetricSource, { event: "model_call" }>["field"];
type RunField = Extract<MetricSource, { event: "run" }>["field"];
export type SourceChoice = CallField | `${typeof RUN}${RunField}` | "business_event" | "judge";

/** Before the field of a run, among the choices. */
const RUN = "run:";

/** Returns the field of a run that a choice stands for. Null: it does not stand for one. */
function runFieldOf(source: SourceChoice): RunField | null {
  return source.startsWith(RUN) ? (source.slice(RUN.length) as RunField) : null;
}

/** Whether a metric is one of agents' runs. */
export function isOfRuns({ source }: Pick<MetricValues, "source">): boolean {
  return runFieldOf(source) !== null;
}

/** A metric as the form holds it. */
export interface MetricValues {
  id: string;
  name: string;
  kind: MetricKind;
  category: MetricDefinition["category"];
  source: SourceChoice;
  businessMetric: string;
  /** Only events from these sources count; null: all. */
  acceptFrom: EventSource[] | null;
  quantile: number | null;
  desired: Direction;
  role: MetricRole;
  margin: number | null;
  /** Relative to control: 0.05 is 5%. */
  targetEffect: number | null;
  windowDays: number | null;
  isShared: boolean;
  /** Whether it uses the organization's shared definition, which is changed on its own page. */
  isCommon: boolean;
  description: string;
  displayName: string;
  unit: string;
  rubric: string;
  scale: Scale;
  /** Share of calls to judge, 0 to 1. */
  sampleRate: number | null;
  version: number;
  /** Values without a field, kept as read. */
  kept: Pick<MetricDefinition, "method_default" | "method" | "cap">;
  /** The current value of control, entered by hand, only for planning. */
  baseline: number | null;
  baselineSd: number | null;
}

export const DEFAULT_TARGET = 0.05;
const DEFAULT_QUANTILE = 0.95;

/** Converts a definition to form values. */
export function toMetricValues(metric: MetricDefinition): MetricValues {
  const source = sourceOf(metric);
  return {
    id: crypto.randomUUID(),
    name: metric.name,
    kind: metric.kind,
    category: metric.category,
    source: choiceOf(source),
    businessMetric: source.event === "business_event" ? source.business_metric : "",
    acceptFrom: metric.accept_from ? [...metric.accept_from] : null,
    quantile: metric.quantile ?? DEFAULT_QUANTILE,
    desired: desiredOf(metric),
    role: metric.role ?? "secondary",
    margin: metric.margin ?? null,
    targetEffect: metric.target_effect ?? DEFAULT_TARGET,
    windowDays: metric.window_days ?? null,
    isShared: metric.shared_org_wide,
    isCommon: metric.shared_org_wide,
    description: metric.description ?? "",
    displayName: metric.display_name ?? "",
    unit: metric.unit ?? "",
    rubric: metric.judge?.rubric ?? "",
    scale: scaleOf(metric.judge),
    sampleRate: metric.judge?.sample_rate ?? DEFAULT_SAMPLE_RATE,
    version: metric.metric_version,
    kept: {
      method_default: metric.method_default,
      method: metric.method ?? null,
      cap: metric.cap ?? null,
    },
    baseline: null,
    baselineSd: null,
  };
}

function choiceOf(source: MetricSource): SourceChoice {
  if (source.event === "run") return `${RUN}${source.field}`;
  return source.event === "model_call" ? source.field : source.event;
}

/** A definition as a body to send. */
export type SentMetric = WithArrays<MetricDefinition>;

/** Converts form values to a definition. */
export function toMetric(values: MetricValues): SentMetric {
  const { method_default, method, cap } = values.kept;
  return {
    name: values.name.trim(),
    kind: values.kind,
    category: values.category,
    method_default,
    method: method ?? null,
    cap: values.kind === "mean" ? (cap ?? null) : null,
    metric_version: values.version,
    shared_org_wide: values.isShared,
    source: toSource(values),
    accept_from: values.acceptFrom ?? null,
    ...(values.kind === "quantile" ? { quantile: values.quantile ?? DEFAULT_QUANTILE } : {}),
    desired: values.desired,
    role: values.role,
    margin: values.margin,
    target_effect: values.targetEffect ?? DEFAULT_TARGET,
    window_days: values.windowDays,
    judge: toJudge(values),
    description: values.description.trim() || null,
    display_name: values.displayName.trim() || null,
    unit: values.unit.trim() || null,
  };
}

function toSource({ source, businessMetric }: MetricValues): MetricSource {
  if (source === "business_event") return { event: source, business_metric: businessMetric.trim() };
  if (source === "judge") return { event: source };
  const run = runFieldOf(source);
  return run === null ? { event: "model_call", field: source as CallField } : { event: "run", field: run };
}

/** Without a rubric nothing is judged; the service stores null. */
function toJudge({ source, rubric, scale, sampleRate }: MetricValues): Judge | null {
  if (source !== "judge" || rubric.trim() === "") return null;
  return { rubric: rubric.trim(), scale, sample_rate: sampleRate ?? DEFAULT_SAMPLE_RATE };
}

/** Changes the kind. Resets the test to automatic, because the service would refuse a test that does not fit. */
export function withKind(values: MetricValues, kind: MetricKind): MetricValues {
  const kept = { ...values.kept, method_default: "auto", method: null, cap: null } as const;
  return withProposedCap({ ...values, kind, kept });
}

/** A user's total above the 99.9% quantile of all arms together counts as that quantile. */
export const POOLED_CAP = "p99.9";

/** Proposes the pooled cap for totals of money, because a few users would otherwise decide the result. */
function withProposedCap(values: MetricValues): MetricValues {
  const isMoney = ["cost_usd", "run:cost_usd", "business_event"].includes(values.source);
  return values.kind === "mean" ? withCap(values, isMoney ? POOLED_CAP : null) : values;
}

/** Changes the largest total that a user counts with; null: no limit. */
export function withCap(
  values: MetricValues,
  cap: NonNullable<MetricValues["kept"]["cap"]> | null,
): MetricValues {
  return { ...values, kept: { ...values.kept, cap } };
}

const CATEGORIES: Readonly<Record<SourceChoice, MetricDefinition["category"]>> = {
  latency_ms: "latency",
  time_to_first_token_ms: "latency",
  input_tokens: "cost",
  output_tokens: "cost",
  cost_usd: "cost",
  error: "reliability",
  "run:turns": "cost",
  "run:steps": "cost",
  "run:tool_calls": "cost",
  "run:tool_errors": "reliability",
  "run:duration_ms": "latency",
  "run:cost_usd": "cost",
  "run:completed": "business",
  "run:handoffs": "reliability",
  business_event: "business",
  judge: "quality",
};

/** Changes the source, with its category and direction, and resets what fits only the other source. */
export function withSource(values: MetricValues, source: SourceChoice): MetricValues {
  const category = CATEGORIES[source];
  const businessMetric =
    source === "business_event" && values.businessMetric === "" ? values.name : values.businessMetric;
  const acceptFrom =
    source === "business_event" || (isOfRuns(values) && isOfRuns({ source })) ? values.acceptFrom : null;
  const desired = desiredOf({ category });
  return withProposedCap(
    asSourceAllows({ ...values, source, category, businessMetric, acceptFrom, desired }),
  );
}

/** Returns whether the numbers have an obvious unit: shares, money, milliseconds, tokens, scores. */
export function hasOwnUnit({ source, kind }: Pick<MetricValues, "source" | "kind">): boolean {
  return source !== "business_event" || kind === "binary";
}

/** Changes the scale, and the kind where it needs pass or fail. */
export function withScale(values: MetricValues, scale: Scale): MetricValues {
  return asSourceAllows({ ...values, scale });
}

/** Returns whether a metric's values can be combined that way: judges have no quantile, only passes can be counted, and a task is done or not. */
export function isKindAllowed(kind: MetricKind, { source, scale }: Pick<MetricValues, "source" | "scale">) {
  if (source === "run:completed") return kind === "binary" || kind === "ratio";
  if (isOfRuns({ source })) return kind !== "binary" && kind !== "ordinal";
  if (source !== "judge") return true;
  return kind === "binary" ? scale === "pass_fail" : kind !== "quantile";
}

function asSourceAllows(values: MetricValues): MetricValues {
  return isKindAllowed(values.kind, values) ? values : withKind(values, "ratio");
}

/** Returns whether two definitions measure something different, so that their results cannot be one series. */
export function hasOtherMeaning(before: MetricDefinition, after: MetricDefinition): boolean {
  return meaningOf(before) !== meaningOf(after);
}

function meaningOf(metric: MetricDefinition): string {
  const { kind, quantile, window_days, cap, accept_from } = metric;
  const source = sourceOf(metric);
  const rank = kind === "quantile" ? (quantile ?? DEFAULT_QUANTILE) : null;
  return JSON.stringify([
    kind,
    Object.entries(source).sort(),
    rank,
    window_days ?? null,
    cap ?? null,
    metric.judge?.rubric ?? null,
    scaleOf(metric.judge),
    accept_from ? [...accept_from].sort() : null,
  ]);
}

/** Makes a shared metric the experiment's own, or shares one. */
export function withShared(values: MetricValues, isShared: boolean): MetricValues {
  return { ...values, isShared, isCommon: false };
}

/**
 * Returns the version that a metric needs: the next one for a new meaning, and never lower than it ever had. `known`
 * contains every definition that had the name.
 */
export function versionFor(metric: MetricDefinition, known: readonly MetricDefinition[]): number {
  const highest = known.reduce<MetricDefinition | null>(
    (found, one) => (found === null || one.metric_version > found.metric_version ? one : found),
    null,
  );
  if (highest === null || metric.metric_version > highest.metric_version) return metric.metric_version;
  return highest.metric_version + (hasOtherMeaning(highest, metric) ? 1 : 0);
}
