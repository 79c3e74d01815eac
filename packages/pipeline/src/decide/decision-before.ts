import type { Claim, DecisionStatus } from "@assay/domain";
import type { RunFrame } from "../run-frame.ts";

/**
 * Returns the decision of the last night. It is undecided again when a metric of its evidence has another version now:
 * what the old version showed says nothing of the new one, whose looks start anew.
 */
export function decisionBefore({
  decision,
  experiment,
}: Pick<RunFrame, "decision" | "experiment">): DecisionStatus | null {
  if (decision === null) return null;
  const versions = new Map(
    experiment.config.metrics.map(({ name, metricVersion }) => [name, metricVersion] as const),
  );
  const isCurrent = ({ metric, metricVersion }: Claim) =>
    (versions.get(metric) ?? metricVersion) === metricVersion;
  const evidence = decision.evidence.filter(isCurrent);
  if (evidence.length === decision.evidence.length) return decision;
  return { ...decision, evidence, decidedState: null, decidedOn: null, treatment: null };
}
