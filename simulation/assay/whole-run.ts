import {
  type AllocationPeriod,
  type ArmMetric,
  type ArmSnapshot,
  createMetric,
  dayOf,
  type Experiment,
  type ExperimentResults,
  firstVersion,
  type MetricDefinition,
  type MetricKind,
  NO_ATTRIBUTION_FACTS,
  PLAN_LIMITS,
  type UserBins,
  type UserValues,
} from "@assay/domain";
import { analyze } from "@assay/pipeline";
import { momentsOf, ratioMomentsOf } from "@assay/stats";
import type { Calls, RatioUser } from "../populations/calls.ts";
import { toBins } from "./arm-data.ts";

/** A metric as in an experiment's definition; everything else has its default, and the test is `auto`. */
export interface SimulatedMetric {
  readonly name: string;
  readonly kind: MetricKind;
  readonly quantile?: number;
}

/** The values of one arm and period, metric by metric in the order of the definitions. */
export interface SimulatedArm {
  readonly arm: string;
  readonly period: number;
  readonly metrics: readonly (UserValues | UserBins)[];
}

/**
 * Analyzes simulated users as a night would. `seed` becomes part of the experiment's id, on which its permutations
 * depend.
 */
export type WholeRun = (arms: readonly SimulatedArm[], seed: number) => ExperimentResults;

const UNTIL = Date.UTC(2026, 0, 1);

/** Prepares the runs of an experiment with these metrics; `arms` starts with control. */
export function createWholeRun(metrics: readonly SimulatedMetric[], arms: readonly string[]): WholeRun {
  const allocation = arms.map((variant) => ({ variant, weight: 1 }));
  const content = firstVersion({
    name: "simulated",
    salt: "s",
    bucketCount: 1_000,
    allocation,
    metrics: metrics.map(define),
  });
  const fixed = { orgId: "org", version: 1, servedAt: 0, createdAt: 0, updatedAt: 0, isDemo: false };
  const experimentOf = (id: string): Experiment => ({ ...content, ...fixed, id });
  return (data, seed) => {
    const frame = {
      experiment: experimentOf(`simulated-${seed}`),
      periods: periodsOf(data),
      variantEdits: [],
      label: { kind: "manual", at: UNTIL } as const,
      until: UNTIL,
      computedAt: UNTIL,
      limits: PLAN_LIMITS.pro,
      codeVersion: "simulation",
      prices: { asOf: dayOf(0), prices: [] },
      judged: [],
      nights: [],
      decision: null,
      planChanges: [],
      exclusions: { last: 0, matches: [] },
      qaUsersSeen: new Map(),
    };
    return analyze(frame, toSnapshot(metrics, data), {
      health: [],
      attribution: NO_ATTRIBUTION_FACTS,
      loggedTraces: [],
      sampling: [],
      agentRuns: null,
      firstExposures: [],
    });
  };
}

/** Arranges one value per user as the event store would. */
export function toUserValues(users: readonly number[]): UserValues {
  return toPairValues(users.map((y) => ({ y, d: 1 })));
}

/** Arranges a sum and a count per user as the event store would. */
export function toPairValues(users: readonly RatioUser[]): UserValues {
  const unknown = Float64Array.from(users, () => Number.NaN);
  return {
    type: "values",
    y: Float64Array.from(users, ({ y }) => y),
    d: Float64Array.from(users, ({ d }) => d),
    preY: unknown,
    preD: unknown,
  };
}

/** Arranges the users' calls as the event store would. */
export function toUserBins(users: readonly Calls[]): UserBins {
  return { type: "bins", ...toBins(users) };
}

function define({ name, kind, quantile = 0.5 }: SimulatedMetric): MetricDefinition {
  return createMetric({
    name,
    kind,
    quantile,
    category: "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
  });
}

/** Each period's shares are those of its users, so the gate finds nothing. */
function periodsOf(data: readonly SimulatedArm[]): readonly AllocationPeriod[] {
  return [...new Set(data.map(({ period }) => period))].map((period) => {
    const own = data.filter((arm) => arm.period === period);
    const all = own.reduce((sum, arm) => sum + usersOf(arm), 0);
    return { startsAt: period, shares: Object.fromEntries(own.map((arm) => [arm.arm, usersOf(arm) / all])) };
  });
}

function usersOf({ metrics: [first] }: SimulatedArm): number {
  if (first === undefined) return 0;
  return first.type === "values" ? first.y.length : first.offsets.length - 1;
}

function toSnapshot(metrics: readonly SimulatedMetric[], data: readonly SimulatedArm[]): ArmSnapshot {
  const exposures = data.map((arm) => ({
    arm: arm.arm,
    period: arm.period,
    users: usersOf(arm),
    testUsers: 0,
    contaminatedUsers: 0,
    heavyUsers: 0,
    usersByDay: new Map(),
  }));
  return {
    exposures,
    metrics: data.flatMap((arm) => metrics.map((metric, index) => toArmMetric(metric, arm, index))),
    outcomes: exposures.reduce((sum, { users }) => sum + users, 0),
    droppedPreExposure: 0,
    variantConflicts: 0,
    firstExposureAt: 0,
  };
}

function toArmMetric({ name, kind }: SimulatedMetric, arm: SimulatedArm, index: number): ArmMetric {
  const sample = arm.metrics[index]!;
  const { n, ...moments } = momentsOfSample(sample);
  return {
    metric: name,
    arm: arm.arm,
    period: arm.period,
    users: n,
    events: Math.round(n * moments.meanD),
    ...moments,
    // Used only by the distribution of a row.
    fineCounts: new Map([[0, n]]),
    sample: kind === "binary" ? null : sample,
  };
}

function momentsOfSample(sample: UserValues | UserBins) {
  if (sample.type === "values") return ratioMomentsOf(sample);
  const { n, mean, m2 } = momentsOf(
    Float64Array.from(sample.offsets.subarray(1), (end, user) => end - sample.offsets[user]!),
  );
  // The quantile test reads the bins; of the sums it uses only the number of calls.
  return { n, meanY: 0, m2Y: 0, meanD: mean, m2D: m2, cYD: 0 };
}
