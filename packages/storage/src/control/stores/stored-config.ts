import {
  type AssignmentBy,
  DEFAULT_PLAN,
  DEFAULT_TARGET_EFFECT,
  type Decision,
  type DecisionPlan,
  type ExperimentConfig,
  type ExperimentStatus,
  type ExperimentUnit,
  type Guard,
  type Hold,
  type Holdback,
  type MetricDefinition,
  type QaUsers,
  type Rollout,
  toJudge,
  type Visibility,
} from "@assay/domain";
import type { StoredStatus } from "../schema/schema.ts";

/** A config as any version stored it. Older versions lack the fields of later ones, such as `unit`, `holds` and `guard`. */
interface StoredConfig
  extends Omit<
    ExperimentConfig,
    | "metrics"
    | "plan"
    | "tags"
    | "decision"
    | "shippedVariant"
    | "qaUsers"
    | "holds"
    | "holdback"
    | "guard"
    | "rollout"
    | "status"
    | "assignment"
    | "flagKey"
    | "visibility"
    | "unit"
  > {
  readonly status: StoredStatus;
  /** For archived experiments, which are stored with the status `stopped`. */
  readonly isArchived?: true;
  readonly assignment?: AssignmentBy;
  readonly flagKey?: string | null;
  readonly visibility?: Visibility;
  readonly unit?: ExperimentUnit;
  readonly plan?: DecisionPlan;
  readonly tags?: readonly string[];
  readonly decision?: Decision | null;
  /** For shipped experiments, which are stored with the status `stopped`, the only one that the previous version knows. */
  readonly shippedVariant?: string | null;
  readonly qaUsers?: QaUsers;
  readonly holds?: readonly Hold[];
  readonly holdback?: Holdback | null;
  readonly guard?: (Omit<Guard, "costPerUser"> & Partial<Pick<Guard, "costPerUser">>) | null;
  readonly rollout?: Rollout | null;
  readonly metrics: readonly StoredMetric[];
}

type Later = "targetEffect" | "acceptFrom" | "displayName" | "unit";

/**
 * A metric as any version stored it. Older versions lack the fields in `Later`, may have a cap on any kind of metric (it affected
 * only `mean`), and accept any object as a judge.
 */
type StoredMetric = Omit<MetricDefinition, Later | "judge"> &
  Partial<Pick<MetricDefinition, Later>> & { readonly judge: unknown };

/** Parses a stored config and fills in defaults for missing fields. */
export function parseStoredConfig(text: string): ExperimentConfig {
  const { isArchived, ...config } = JSON.parse(text) as StoredConfig;
  const shippedVariant = (config.status === "stopped" && !isArchived && config.shippedVariant) || null;
  return {
    ...config,
    status: isArchived ? "archived" : shippedVariant === null ? config.status : "shipped",
    metrics: config.metrics.map(parseStoredMetric),
    assignment: config.assignment ?? "assay",
    flagKey: config.flagKey ?? null,
    visibility: config.visibility ?? "client",
    unit: config.unit ?? "user",
    plan: config.plan ?? DEFAULT_PLAN,
    tags: config.tags ?? [],
    decision: config.decision ?? null,
    shippedVariant,
    qaUsers: config.qaUsers ?? {},
    holds: config.holds ?? [],
    holdback: config.holdback ?? null,
    // Older guards do not watch the cost per user.
    guard: config.guard ? { ...config.guard, costPerUser: config.guard.costPerUser ?? null } : null,
    rollout: config.rollout ?? null,
  };
}

/** Writes a config in the form that `parseStoredConfig` reads. */
export function writeStoredConfig(config: ExperimentConfig): string {
  const { status } = config;
  const stored = { ...config, status: storedStatus(status) };
  return JSON.stringify(status === "archived" ? { ...stored, isArchived: true } : stored);
}

/** Returns the status under which the experiments' table stores a status. */
export function storedStatus(status: ExperimentStatus): StoredStatus {
  return status === "archived" || status === "shipped" ? "stopped" : status;
}

/** Fills in defaults for the missing fields of a stored metric. */
export function parseStoredMetric(metric: StoredMetric): MetricDefinition {
  return {
    ...metric,
    targetEffect: metric.targetEffect ?? DEFAULT_TARGET_EFFECT,
    acceptFrom: metric.acceptFrom ?? null,
    displayName: metric.displayName ?? null,
    unit: metric.unit ?? null,
    cap: metric.kind === "mean" ? metric.cap : null,
    judge: toJudge(metric.judge),
  };
}
