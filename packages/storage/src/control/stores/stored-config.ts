import {
  type AssignmentBy,
  DEFAULT_TARGET_EFFECT,
  type Decision,
  type ExperimentConfig,
  type MetricDefinition,
  toJudge,
} from "@assay/domain";

/**
 * A stored config of any version. Older ones have no `assignment`, no decision and no `targetEffect`, allow a cap on any kind although it had an effect
 * only on `mean`, and have any object as a judge.
 */
interface StoredConfig extends Omit<ExperimentConfig, "metrics" | "decision" | "assignment"> {
  readonly assignment?: AssignmentBy;
  readonly decision?: Decision | null;
  readonly metrics: readonly (Omit<MetricDefinition, "targetEffect" | "judge" | "acceptFrom"> & {
    readonly acceptFrom?: MetricDefinition["acceptFrom"];
    readonly targetEffect?: number;
    readonly judge: unknown;
  })[];
}

/** Parses a stored config and fills in defaults for what it lacks. */
export function parseStoredConfig(text: string): ExperimentConfig {
  const config = JSON.parse(text) as StoredConfig;
  const metrics = config.metrics.map((metric) => ({
    ...metric,
    targetEffect: metric.targetEffect ?? DEFAULT_TARGET_EFFECT,
    cap: metric.kind === "mean" ? metric.cap : null,
    judge: toJudge(metric.judge),
    acceptFrom: metric.acceptFrom ?? null,
  }));
  return { ...config, metrics, assignment: config.assignment ?? "assay", decision: config.decision ?? null };
}
