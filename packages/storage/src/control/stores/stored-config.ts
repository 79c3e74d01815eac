import {
  DEFAULT_TARGET_EFFECT,
  type Decision,
  type ExperimentConfig,
  type MetricDefinition,
  toJudge,
} from "@assay/domain";

/**
 * A config from before decisions or `targetEffect`; a cap was then taken on any kind and had effect on `mean` only, and a judge was
 * any object.
 */
interface StoredConfig extends Omit<ExperimentConfig, "metrics" | "decision"> {
  readonly decision?: Decision | null;
  readonly metrics: readonly (Omit<MetricDefinition, "targetEffect" | "judge"> & {
    readonly targetEffect?: number;
    readonly judge: unknown;
  })[];
}

/** Reads a stored config of any age: what it lacks gets the default. */
export function parseStoredConfig(text: string): ExperimentConfig {
  const config = JSON.parse(text) as StoredConfig;
  const metrics = config.metrics.map((metric) => ({
    ...metric,
    targetEffect: metric.targetEffect ?? DEFAULT_TARGET_EFFECT,
    cap: metric.kind === "mean" ? metric.cap : null,
    judge: toJudge(metric.judge),
  }));
  return { ...config, metrics, decision: config.decision ?? null };
}
