import type { ExperimentConfig, MetricDefinition } from "@assay/domain";
import {
  detectableEffect,
  minimumDetectableEffect,
  nonInferiorityUsers,
  requiredUsers,
  type UsersPerArm,
} from "@assay/stats";
import { RANK_TARGET } from "../compare/choose-test.ts";
import { MIN_EVENTS_PER_ARM, MIN_USERS_PER_ARM } from "../compare/eligibility.ts";
import { isRanked, type PlanBaseline, RANK_BASELINE, shareSd } from "./plan-baseline.ts";
import { gapNotes, planNotes } from "./plan-notes.ts";
import type { UnitGain } from "./smaller-units.ts";

export interface PlanInput {
  readonly config: Pick<ExperimentConfig, "metrics" | "variants" | "control" | "unit">;
  /** Names of the metrics to plan; null means all. */
  readonly metrics: readonly string[] | null;
  /** Each arm's share of the users, summing to 1; arms without users are absent. */
  readonly shares: Readonly<Record<string, number>>;
  /** By metric. */
  readonly baselines: ReadonlyMap<string, PlanBaseline>;
  /** New users per day, over all arms; null when unknown. */
  readonly usersPerDay: number | null;
  /** Number of days for which `mde` is computed. */
  readonly days: number;
  /** Relative; null means each metric's own. */
  readonly targetEffect: number | null;
  readonly alpha: number;
  readonly power: number;
  /** By metric; absent: not known. */
  readonly gains?: ReadonlyMap<string, readonly UnitGain[]>;
}

/** The gain of smaller units, and the days until they find the target effect; null if users per day are unknown. */
export interface PlannedUnit extends UnitGain {
  readonly days: number | null;
}

/** The users needed to find the target effect. */
export interface Requirement {
  readonly users: Readonly<Record<string, number>>;
  /** Users over all arms: this many must enter until both arms of the comparison have enough. */
  readonly usersTotal: number;
  /**
   * Days until then, and until the last user's window is over; null when users per day are unknown.
   */
  readonly days: number | null;
}

/** The smallest effect that the given number of days finds. */
export interface Sensitivity {
  readonly users: Readonly<Record<string, number>>;
  /** In the metric's unit. */
  readonly absolute: number;
  readonly relative: number | null;
}

/** One treatment against control; null when the note says why. */
export interface PlanRow {
  readonly metric: string;
  readonly treatment: string;
  readonly baseline: PlanBaseline | null;
  readonly targetEffect: { readonly relative: number; readonly absolute: number | null };
  readonly needed: Requirement | null;
  readonly neededCorrected: Requirement | null;
  /**
   * Users that settle the metric's margin if the variants are alike; null without a margin, or when the note
   * says why the row has no numbers.
   */
  readonly neededForMargin: Requirement | null;
  readonly mde: Sensitivity | null;
  readonly mdeCorrected: Sensitivity | null;
  readonly smallerUnits: readonly PlannedUnit[];
  readonly notes: readonly string[];
}

export interface ExperimentPlan {
  /** α / number of rows of the experiment (Bonferroni): the level of the weakest row. */
  readonly alphaCorrected: number;
  readonly rows: readonly PlanRow[];
}

/**
 * Plans every comparison: the users and days that the target effect needs, and the effect that the days find
 * (statistics §7). Two-sided, normal approximation, unpooled variances. Pure.
 */
export function planExperiment(input: PlanInput): ExperimentPlan {
  const { config, shares, metrics } = input;
  const controlShare = shares[config.control] ?? 0;
  const treatments = config.variants
    .map(({ key }) => key)
    .filter((key) => key !== config.control && controlShare > 0 && (shares[key] ?? 0) > 0);
  const alphaCorrected = input.alpha / Math.max(1, config.metrics.length * treatments.length);
  const chosen = config.metrics.filter(({ name }) => metrics === null || metrics.includes(name));
  const rows = chosen.flatMap((metric) =>
    treatments.map((treatment) => planRow(metric, treatment, { ...input, alphaCorrected })),
  );
  return { alphaCorrected, rows };
}

/** One comparison with a known baseline. */
interface Comparison {
  readonly metric: MetricDefinition;
  readonly baseline: PlanBaseline;
  readonly arms: Arms;
  /** In the wanted direction. */
  readonly effect: number;
  readonly input: PlanInput;
}

interface Arms {
  readonly control: string;
  readonly treatment: string;
  readonly shares: UsersPerArm;
}

const UNKNOWN = {
  needed: null,
  neededCorrected: null,
  neededForMargin: null,
  mde: null,
  mdeCorrected: null,
} as const;

function plannedUnits(
  { name, windowDays }: MetricDefinition,
  needed: Requirement | null,
  { gains, usersPerDay }: PlanInput,
): readonly PlannedUnit[] {
  return (gains?.get(name) ?? []).map((own) => ({
    ...own,
    days:
      needed === null || usersPerDay === null
        ? null
        : roundUp(needed.usersTotal / own.gain / usersPerDay + (windowDays ?? 0)),
  }));
}

function planRow(
  metric: MetricDefinition,
  treatment: string,
  { alphaCorrected, ...input }: PlanInput & { readonly alphaCorrected: number },
): PlanRow {
  const { control } = input.config;
  const isRank = isRanked(metric);
  const relative = isRank ? RANK_TARGET / RANK_BASELINE.value : (input.targetEffect ?? metric.targetEffect);
  const baseline = isRank ? RANK_BASELINE : (input.baselines.get(metric.name) ?? null);
  const row = { metric: metric.name, treatment, baseline };
  const absolute = baseline && relative * Math.abs(baseline.value);
  const targetEffect = { relative, absolute };
  const notes = planNotes(metric, { baseline, relative, unit: input.config.unit });
  if (baseline === null || absolute === null) {
    return { ...row, targetEffect, notes, ...UNKNOWN, smallerUnits: plannedUnits(metric, null, input) };
  }
  const shares = { control: input.shares[control]!, treatment: input.shares[treatment]! };
  const effect = metric.desired === "increase" ? absolute : -absolute;
  const comparison = { metric, baseline, arms: { control, treatment, shares }, effect, input };
  const needed = requirement(comparison, input.alpha);
  const neededForMargin = marginRequirement(comparison);
  const users = usersWithin(comparison);
  const mde = sensitivity(comparison, input.alpha);
  return {
    ...row,
    targetEffect,
    notes: [...notes, ...gapNotes(metric, { neededForMargin, mde, users, ...input })],
    needed,
    neededCorrected: requirement(comparison, alphaCorrected),
    neededForMargin,
    mde,
    mdeCorrected: sensitivity(comparison, alphaCorrected),
    smallerUnits: plannedUnits(metric, needed, input),
  };
}

function requirement(
  { metric, baseline, arms, effect, input }: Comparison,
  alpha: number,
): Requirement | null {
  const { value, sd } = baseline;
  const ofTreatment = metric.kind === "binary" ? shareSd(value + effect) : sd;
  const users = requiredUsers({
    effect,
    controlVariance: sd ** 2,
    treatmentVariance: ofTreatment ** 2,
    ratio: arms.shares.treatment / arms.shares.control,
    alpha,
    power: input.power,
  });
  return users && enter(users, { metric, arms, input });
}

/** The power is corrected for all margins that must hold at once. */
function marginRequirement({ metric, baseline, arms, input }: Comparison): Requirement | null {
  const { margin } = metric;
  // A margin in the metric's unit does not apply to a probability.
  if (margin === null || isRanked(metric)) return null;
  const variance = baseline.sd ** 2;
  const users = nonInferiorityUsers({
    ...{ margin, difference: 0, controlVariance: variance, treatmentVariance: variance },
    ratio: arms.shares.treatment / arms.shares.control,
    alpha: input.alpha,
    power: input.power,
    guardrails: input.config.metrics.filter((one) => one.margin !== null).length,
  });
  return users && enter(users, { metric, arms, input });
}

/** Converts the users that two arms need to the users who must enter, and the days until then. */
function enter(
  users: UsersPerArm,
  { metric, arms, input }: Pick<Comparison, "metric" | "arms" | "input">,
): Requirement {
  // A nightly row needs this many whatever its spread (contract §9).
  const least = metric.kind === "binary" ? MIN_EVENTS_PER_ARM : MIN_USERS_PER_ARM;
  const control = Math.max(users.control, least);
  const treatment = Math.max(users.treatment, least);
  const usersTotal = roundUp(Math.max(control / arms.shares.control, treatment / arms.shares.treatment));
  const days =
    input.usersPerDay === null ? null : roundUp(usersTotal / input.usersPerDay + (metric.windowDays ?? 0));
  return { users: byArm(arms, { control, treatment }), usersTotal, days };
}

/** Returns the users of each arm who count after the plan's days. Users whose window is not over yet do not count. */
function usersWithin({ metric, arms, input }: Comparison): UsersPerArm {
  const entering = (input.usersPerDay ?? 0) * Math.max(0, input.days - (metric.windowDays ?? 0));
  return {
    control: Math.floor(entering * arms.shares.control),
    treatment: Math.floor(entering * arms.shares.treatment),
  };
}

function sensitivity(comparison: Comparison, alpha: number): Sensitivity | null {
  const { metric, baseline, arms, input } = comparison;
  const users = usersWithin(comparison);
  if (Math.min(users.control, users.treatment) < 1) return null;
  const target = { alpha, power: input.power };
  const absolute =
    metric.kind === "binary"
      ? detectableShareChange(comparison, users, minimumDetectableEffect(1, target))
      : detectableEffect({
          users,
          controlVariance: baseline.sd ** 2,
          treatmentVariance: baseline.sd ** 2,
          ...target,
        });
  if (absolute === null) return null;
  const relative = baseline.value === 0 ? null : absolute / Math.abs(baseline.value);
  return { users: byArm(arms, users), absolute, relative };
}

/**
 * Solves (q − p)² = z² (p (1 − p) / nC + q (1 − q) / nT) for the treatment's share q in the wanted direction and
 * returns |q − p|; null when no share up to 1 (or down to 0) differs enough. The inverse of `requiredUsers` with the
 * effect applied.
 */
function detectableShareChange(
  { metric, baseline: { value: p } }: Comparison,
  users: UsersPerArm,
  z: number,
): number | null {
  const a = (z * z) / users.treatment;
  const b = (z * z * p * (1 - p)) / users.control;
  const half = p + a / 2;
  const root = Math.sqrt(half * half - (1 + a) * (p * p - b));
  const q = (half + (metric.desired === "increase" ? root : -root)) / (1 + a);
  return q < 0 || q > 1 ? null : Math.abs(q - p);
}

function byArm({ control, treatment }: Arms, users: UsersPerArm): Readonly<Record<string, number>> {
  return { [control]: users.control, [treatment]: users.treatment };
}

/** Rounds up, ignoring rounding noise just above a whole number. */
export function roundUp(value: number): number {
  return Math.ceil(value * (1 - 1e-12));
}
