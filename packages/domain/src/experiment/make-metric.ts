import { DEFAULT_TARGET_EFFECT, defaultDirection, defaultSource, type MetricDefinition } from "./metric.ts";

type Required = "name" | "kind" | "category" | "methodDefault" | "metricVersion" | "sharedOrgWide";

/** A metric as written by a caller. Fields that the specification does not require may be absent. */
export type MetricInput = Pick<MetricDefinition, Required> & Partial<Omit<MetricDefinition, Required>>;

/** Fills the defaults of contract §5 into a metric. */
export function createMetric(input: MetricInput): MetricDefinition {
  return {
    name: input.name,
    kind: input.kind,
    category: input.category,
    methodDefault: input.methodDefault,
    metricVersion: input.metricVersion,
    sharedOrgWide: input.sharedOrgWide,
    source: input.source ?? defaultSource(input.category, input.name),
    quantile: input.quantile ?? 0.95,
    desired: input.desired ?? defaultDirection(input.category),
    role: input.role ?? "secondary",
    margin: input.margin ?? null,
    targetEffect: input.targetEffect ?? DEFAULT_TARGET_EFFECT,
    windowDays: input.windowDays ?? null,
    cap: input.cap ?? null,
    method: input.method ?? null,
    judge: input.judge ?? null,
    acceptFrom: input.acceptFrom ?? null,
    description: input.description ?? null,
    displayName: input.displayName ?? null,
    unit: input.unit ?? null,
  };
}
