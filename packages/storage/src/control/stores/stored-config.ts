import {
  type AssignmentBy,
  DEFAULT_TARGET_EFFECT,
  type Decision,
  type ExperimentConfig,
  type ExperimentStatus,
  type MetricDefinition,
  toJudge,
  type Visibility,
} from "@assay/domain";
import type { StoredStatus } from "../schema/schema.ts";

/** A stored config of any version. Older ones have no `assignment`, no `visibility` and no decision. */
interface StoredConfig
  extends Omit<ExperimentConfig, "metrics" | "decision" | "status" | "assignment" | "visibility"> {
  readonly status: StoredStatus;
  /** Of an archived experiment, whose status is `stopped`. */
  readonly isArchived?: true;
  readonly assignment?: AssignmentBy;
  readonly visibility?: Visibility;
  readonly decision?: Decision | null;
  readonly metrics: readonly StoredMetric[];
}

/**
 * A stored metric of any version. Older ones have no `targetEffect` and no `acceptFrom`, allow a cap on any kind although it had an
 * effect only on `mean`, and have any object as a judge.
 */
type StoredMetric = Omit<MetricDefinition, "targetEffect" | "acceptFrom" | "judge"> &
  Partial<Pick<MetricDefinition, "targetEffect" | "acceptFrom">> & { readonly judge: unknown };

/** Parses a stored config and fills in defaults for what it lacks. */
export function parseStoredConfig(text: string): ExperimentConfig {
  const { isArchived, ...config } = JSON.parse(text) as StoredConfig;
  return {
    ...config,
    status: isArchived ? "archived" : config.status,
    metrics: config.metrics.map(parseStoredMetric),
    assignment: config.assignment ?? "assay",
    visibility: config.visibility ?? "client",
    decision: config.decision ?? null,
  };
}

/** Writes a config as `parseStoredConfig` reads it. */
export function writeStoredConfig(config: ExperimentConfig): string {
  const stored = config.status === "archived" ? { ...config, status: "stopped", isArchived: true } : config;
  return JSON.stringify(stored);
}

/** Returns the status that the experiments' table has for one. */
export function storedStatus(status: ExperimentStatus): StoredStatus {
  return status === "archived" ? "stopped" : status;
}

/** Fills in defaults for what a stored metric lacks. */
export function parseStoredMetric(metric: StoredMetric): MetricDefinition {
  return {
    ...metric,
    targetEffect: metric.targetEffect ?? DEFAULT_TARGET_EFFECT,
    acceptFrom: metric.acceptFrom ?? null,
    cap: metric.kind === "mean" ? metric.cap : null,
    judge: toJudge(metric.judge),
  };
}
