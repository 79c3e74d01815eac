import {
  type ConfigInput,
  createMetric,
  DEFAULT_JUDGE_SCALE,
  DEFAULT_SAMPLE_RATE,
  type Decision,
  type Experiment,
  type ExperimentVersion,
  effectiveAllocation,
  type JsonObject,
  type Judge,
  type MetricDefinition,
  type MetricSource,
  toInstant,
  type VariantInput,
} from "@assay/domain";
import type { Static } from "typebox";
import type {
  ExperimentChangeBody,
  ExperimentConfigBody,
  ExperimentSchema,
  ExperimentVersionSchema,
  MetricDefinitionBody,
  VariantBody,
} from "./schemas/experiment.ts";
import type { JudgeBody } from "./schemas/judge.ts";

type WireMetric = Static<typeof MetricDefinitionBody>;
type WireConfig = Static<typeof ExperimentConfigBody>;
type WireChange = Static<typeof ExperimentChangeBody>;

/** Turns a validated create body into the domain's input. */
export function fromWireConfig(body: WireConfig): ConfigInput {
  const { name, salt, bucket_count: bucketCount, allocation, metrics } = body;
  return {
    ...optionalFields(body),
    name,
    salt,
    bucketCount,
    allocation,
    metrics: metrics.map(fromWireMetric),
  };
}

/** Turns a validated update body into the domain's change: absent fields stay absent. */
export function fromWireChange(body: WireChange): Partial<ConfigInput> {
  return {
    ...optionalFields(body),
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.salt === undefined ? {} : { salt: body.salt }),
    ...(body.bucket_count === undefined ? {} : { bucketCount: body.bucket_count }),
    ...(body.allocation === undefined ? {} : { allocation: body.allocation }),
    ...(body.metrics === undefined ? {} : { metrics: body.metrics.map(fromWireMetric) }),
  };
}

function optionalFields(body: WireConfig | WireChange): Partial<ConfigInput> {
  const { coverage, control, status, hypothesis, description, decision } = body;
  return {
    ...(coverage === undefined ? {} : { coverage }),
    ...(control === undefined ? {} : { control }),
    ...(status === undefined ? {} : { status }),
    ...(hypothesis === undefined ? {} : { hypothesis }),
    ...(description === undefined ? {} : { description }),
    ...(decision === undefined ? {} : { decision: decision && fromWireDecision(decision) }),
    ...(body.variants === undefined ? {} : { variants: body.variants.map(fromWireVariant) }),
  };
}

function fromWireDecision({ outcome, variant, note }: NonNullable<WireConfig["decision"]>): Decision {
  return { outcome, variant: variant ?? null, note: note ?? null };
}

/** A schema-checked JSON value is JSON: the schema says `unknown` only because JSON Schema has no type for it. */
const asJsonObject = (value: Record<string, unknown> | null | undefined) =>
  (value ?? null) as JsonObject | null;

function fromWireVariant({ variables, ...variant }: Static<typeof VariantBody>): VariantInput {
  return { ...variant, variables: asJsonObject(variables) };
}

function fromWireMetric(wire: WireMetric): MetricDefinition {
  return createMetric({
    name: wire.name,
    kind: wire.kind,
    category: wire.category,
    methodDefault: wire.method_default,
    metricVersion: wire.metric_version,
    sharedOrgWide: wire.shared_org_wide,
    source: wire.source && fromWireSource(wire.source),
    quantile: wire.quantile,
    desired: wire.desired,
    role: wire.role,
    margin: wire.margin,
    targetEffect: wire.target_effect,
    windowDays: wire.window_days,
    cap: wire.cap,
    method: wire.method,
    judge: wire.judge ? fromWireJudge(wire.judge) : null,
    description: wire.description,
  });
}

function fromWireJudge({ rubric, scale, sample_rate: sampleRate }: Static<typeof JudgeBody>): Judge {
  return { rubric, scale: scale ?? DEFAULT_JUDGE_SCALE, sampleRate: sampleRate ?? DEFAULT_SAMPLE_RATE };
}

/** Writes a judge as the wire has it. */
export function toWireJudge({ rubric, scale, sampleRate }: Judge): Static<typeof JudgeBody> {
  return { rubric, scale, sample_rate: sampleRate };
}

function fromWireSource(wire: NonNullable<WireMetric["source"]>): MetricSource {
  return wire.event === "business_event" ? { event: wire.event, businessMetric: wire.business_metric } : wire;
}

/** Writes an experiment as the wire has it. */
export function toWireExperiment(experiment: Experiment): Static<typeof ExperimentSchema> {
  const { config } = experiment;
  return {
    id: experiment.id,
    version: experiment.version,
    name: config.name,
    status: config.status,
    hypothesis: config.hypothesis,
    description: config.description,
    salt: config.salt,
    bucket_count: config.bucketCount,
    coverage: config.coverage,
    allocation: [...config.allocation],
    effective_allocation: effectiveAllocation(experiment.bucketMap),
    control: config.control,
    variants: config.variants.map((variant) => ({
      ...variant,
      variables: variant.variables as Record<string, unknown> | null,
    })),
    metrics: config.metrics.map(toWireMetric),
    decision: config.decision,
    created_at: toInstant(experiment.createdAt),
    updated_at: toInstant(experiment.updatedAt),
    is_demo: experiment.isDemo,
  };
}

/** Writes one kept version: the experiment as it was, and who minted it. */
export function toWireVersion(version: ExperimentVersion): Static<typeof ExperimentVersionSchema> {
  return { ...toWireExperiment(version), created_by: version.createdBy };
}

/** Writes a metric as the wire has it. */
export function toWireMetric(metric: MetricDefinition): WireMetric {
  return {
    name: metric.name,
    kind: metric.kind,
    category: metric.category,
    method_default: metric.methodDefault,
    metric_version: metric.metricVersion,
    shared_org_wide: metric.sharedOrgWide,
    source: toWireSource(metric.source),
    ...(metric.kind === "quantile" ? { quantile: metric.quantile } : {}),
    desired: metric.desired,
    role: metric.role,
    margin: metric.margin,
    target_effect: metric.targetEffect,
    window_days: metric.windowDays,
    cap: metric.cap,
    method: metric.method,
    judge: metric.judge && toWireJudge(metric.judge),
    description: metric.description,
  };
}

function toWireSource(source: MetricSource): NonNullable<WireMetric["source"]> {
  return source.event === "business_event"
    ? { event: source.event, business_metric: source.businessMetric }
    : source;
}
