import {
  type AllocationSlice,
  type AssignmentBy,
  type Decision,
  type ExperimentConfig,
  type ExperimentStatus,
  type Hold,
  type Holdback,
  hasEnded,
  type QaUsers,
  type Rollout,
  type Variant,
  type Visibility,
} from "./config.ts";
import { DEFAULT_PLAN, mergePlan, type PlanInput } from "./decision-plan.ts";
import { DEFAULT_GUARD, type GuardInput, mergeGuard } from "./guard.ts";
import { type HoldbackInput, mergeHoldback } from "./holdback.ts";
import type { MetricDefinition } from "./metric.ts";
import { coverageOfStage, mergeRollout, type RolloutInput } from "./rollout.ts";
import type { ExperimentUnit } from "./unit.ts";

/** A variant as written by a caller: everything but the key may be absent. */
export type VariantInput = Pick<Variant, "key"> & Partial<Omit<Variant, "key">>;

/** The body that creates an experiment; an update may send any part of it. */
export interface ConfigInput {
  readonly name: string;
  readonly salt: string;
  readonly bucketCount: number;
  readonly allocation: readonly AllocationSlice[];
  readonly metrics: readonly MetricDefinition[];
  readonly unit?: ExperimentUnit;
  readonly coverage?: number;
  readonly variants?: readonly VariantInput[];
  readonly control?: string;
  readonly assignment?: AssignmentBy;
  readonly flagKey?: string | null;
  readonly visibility?: Visibility;
  readonly status?: ExperimentStatus;
  readonly plan?: PlanInput;
  readonly hypothesis?: string | null;
  readonly description?: string | null;
  readonly tags?: readonly string[];
  readonly decision?: Decision | null;
  readonly shippedVariant?: string | null;
  readonly holdback?: HoldbackInput | Holdback | null;
  readonly qaUsers?: QaUsers;
  readonly holds?: readonly Hold[];
  readonly guard?: GuardInput | null;
  readonly rollout?: RolloutInput | Rollout | null;
}

/** Fills the defaults of contract §5 into a new config. */
export function createConfig(input: ConfigInput): ExperimentConfig {
  const variants = (input.variants ?? input.allocation.map(({ variant }) => ({ key: variant }))).map(
    toVariant,
  );
  const control = input.control ?? defaultControl(variants, input.allocation);
  const rollout = mergeRollout(null, input.rollout);
  return {
    name: input.name,
    salt: input.salt,
    bucketCount: input.bucketCount,
    unit: input.unit ?? "user",
    allocation: input.allocation,
    coverage: coverageOf(rollout, input.coverage ?? 1, { allocation: input.allocation, control }),
    variants,
    control,
    assignment: input.assignment ?? "assay",
    flagKey: input.flagKey ?? null,
    visibility: input.visibility ?? "client",
    status: input.status ?? "running",
    metrics: input.metrics,
    plan: mergePlan(DEFAULT_PLAN, input.plan ?? {}),
    hypothesis: input.hypothesis ?? null,
    description: input.description ?? null,
    tags: input.tags ?? [],
    decision: input.decision ?? null,
    shippedVariant: input.shippedVariant ?? null,
    holdback: null,
    qaUsers: input.qaUsers ?? {},
    holds: [],
    guard: mergeGuard(rollout && DEFAULT_GUARD, input.guard),
    rollout,
  };
}

/**
 * Applies a change to the current config. Absent fields keep their value (contract §5), except that the decision is cleared
 * when the experiment starts again, and the shipped variant when it is no longer shipped.
 */
export function mergeConfig(current: ExperimentConfig, change: Partial<ConfigInput>): ExperimentConfig {
  const status = change.status ?? current.status;
  const kept = hasEnded(status) ? current.decision : null;
  const allocation = change.allocation ?? current.allocation;
  const variants = change.variants?.map(toVariant) ?? withAllocated(current.variants, allocation);
  const control = change.control ?? current.control;
  const rollout = mergeRollout(current.rollout, change.rollout);
  return {
    name: change.name ?? current.name,
    salt: change.salt ?? current.salt,
    bucketCount: change.bucketCount ?? current.bucketCount,
    unit: change.unit ?? current.unit,
    allocation,
    coverage: coverageOf(rollout, change.coverage ?? current.coverage, { allocation, control }),
    variants,
    control,
    assignment: change.assignment ?? current.assignment,
    flagKey: change.flagKey === undefined ? current.flagKey : change.flagKey,
    visibility: change.visibility ?? current.visibility,
    status,
    metrics: change.metrics ?? current.metrics,
    plan: mergePlan(current.plan, change.plan ?? {}),
    hypothesis: change.hypothesis === undefined ? current.hypothesis : change.hypothesis,
    description: change.description === undefined ? current.description : change.description,
    tags: change.tags ?? current.tags,
    decision: change.decision === undefined ? kept : change.decision,
    shippedVariant: change.shippedVariant ?? (status === "shipped" ? current.shippedVariant : null),
    holdback: mergeHoldback(current, change.holdback, status),
    qaUsers: change.qaUsers ?? current.qaUsers,
    holds: change.holds ?? current.holds,
    guard: mergeGuard(current.guard, change.guard),
    rollout,
  };
}

/** A rollout's stage decides the coverage. */
function coverageOf(
  rollout: Rollout | null,
  coverage: number,
  shares: Pick<ExperimentConfig, "allocation" | "control">,
): number {
  return rollout === null ? coverage : coverageOfStage(rollout.stages[rollout.stage]!, shares);
}

/** Adds variants for arms that only the new allocation names, as on create. */
function withAllocated(
  variants: readonly Variant[],
  allocation: readonly AllocationSlice[],
): readonly Variant[] {
  const known = new Set(variants.map(({ key }) => key));
  const added = allocation.filter(({ variant }) => !known.has(variant));
  return [...variants, ...added.map(({ variant }) => toVariant({ key: variant }))];
}

function toVariant(input: VariantInput): Variant {
  return {
    key: input.key,
    prompt: input.prompt ?? null,
    variables: input.variables ?? null,
    description: input.description ?? null,
    enabled: input.enabled ?? true,
  };
}

function defaultControl(variants: readonly Variant[], allocation: readonly AllocationSlice[]): string {
  if (variants.some(({ key }) => key === "control")) return "control";
  return allocation[0]?.variant ?? "control";
}
