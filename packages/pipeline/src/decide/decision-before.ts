import type { DecisionStatus, ExperimentConfig, MetricDefinition } from "@assay/domain";

/** The metrics when the last night was decided, and now. */
interface Configs {
  readonly before: Pick<ExperimentConfig, "metrics">;
  readonly now: Pick<ExperimentConfig, "metrics">;
}

/**
 * Returns the decision of the last night. It is taken back if a metric that can make a claim is new or has changed its
 * meaning: the decision did not consider that metric, whose looks start again.
 */
export function decisionBefore(decision: DecisionStatus, { before, now }: Configs): DecisionStatus {
  const known = new Map(before.metrics.map((metric) => [metric.name, metric]));
  const changed = now.metrics.filter((metric) => !isSameClaim(known.get(metric.name), metric));
  const names = new Set(changed.map(({ name }) => name));
  const evidence = decision.evidence.filter(({ metric }) => !names.has(metric));
  const hasPrimary = now.metrics.some(({ role }) => role === "primary");
  const mayClaim = ({ role, margin }: MetricDefinition) =>
    role === "primary" || margin !== null || (!hasPrimary && role !== "guardrail");
  if (evidence.length === decision.evidence.length && !changed.some(mayClaim)) return decision;
  return { ...decision, evidence, decidedState: null, decidedOn: null, treatment: null };
}

function isSameClaim(before: MetricDefinition | undefined, now: MetricDefinition): boolean {
  return (
    before?.metricVersion === now.metricVersion &&
    before.desired === now.desired &&
    before.margin === now.margin &&
    before.role === now.role
  );
}
