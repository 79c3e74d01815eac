import {
  type ArmExposure,
  type ArmHealth,
  type ArmSnapshot,
  createMetric,
  dayOf,
  type Experiment,
  type FirstExposure,
  firstVersion,
  type MetricDefinition,
  NO_ATTRIBUTION_FACTS,
  PLAN_LIMITS,
  type RunLabel,
} from "@assay/domain";
import { analyze, type RunEvidence } from "../run/analyze.ts";
import type { RunFrame } from "../run-frame.ts";

export const until = Date.UTC(2026, 10, 21);
export const nightly: RunLabel = { kind: "nightly", day: dayOf(until - 1) };
export const manual: RunLabel = { kind: "manual", at: until };

export function metric(name: string, change: Partial<MetricDefinition> = {}): MetricDefinition {
  return createMetric({
    name,
    kind: "mean",
    category: "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
    role: "primary",
    ...change,
  });
}

export function experimentOf(
  metrics: readonly MetricDefinition[],
  arms: readonly string[] = ["control", "treatment"],
): Experiment {
  const allocation = arms.map((variant) => ({ variant, weight: 1 }));
  const plan = { horizonWeeks: 2, basis: "traffic", expectedUsers: 5_000 } as const;
  const content = firstVersion({ name: "e", salt: "s", bucketCount: 1000, allocation, metrics, plan });
  return {
    id: "00000000-0000-7000-8000-000000000001",
    orgId: "o",
    version: 1,
    servedAt: 1,
    createdAt: 0,
    updatedAt: 0,
    isDemo: false,
    ...content,
  };
}

const NOTHING = { count: 0, since: null };

/** The event store's answer for an arm with one call per user and no fault. */
export const armHealth = (arm: string, users: number, change: Partial<ArmHealth> = {}): ArmHealth => ({
  arm,
  users,
  events: 2 * users,
  calls: users,
  completedCalls: users,
  missingUsage: NOTHING,
  unpriced: NOTHING,
  errors: NOTHING,
  truncated: NOTHING,
  cutStreams: NOTHING,
  callsWithModel: users,
  otherModel: NOTHING,
  inputTokens: 100 * users,
  cachedInputTokens: 50 * users,
  late: NOTHING,
  future: NOTHING,
  severalVariants: NOTHING,
  variantConflicts: NOTHING,
  testEvents: NOTHING,
  models: [{ model: "m-1", calls: users, unpricedCalls: 0 }],
  ...change,
});

export const exposure = (arm: string, users: number, change: Partial<ArmExposure> = {}): ArmExposure => ({
  arm,
  period: 0,
  users,
  testUsers: 0,
  contaminatedUsers: 0,
  heavyUsers: 0,
  usersByDay: new Map([[dayOf(until - 1), users]]),
  ...change,
});

interface RunParts {
  readonly metrics: readonly MetricDefinition[];
  /** Control first; control and treatment when not given. */
  readonly arms?: readonly string[];
}

/** Analyzes a snapshot of 1,000 users per arm, exposed on the last day, unless the parts say otherwise. */
export function run(
  parts: RunParts,
  snapshot: Partial<ArmSnapshot>,
  {
    health = [],
    attribution,
    loggedTraces = [],
    sampling = [],
    agentRuns = null,
    firstExposures,
    ...change
  }: Partial<RunFrame> & Partial<RunEvidence> = {},
) {
  const names = parts.arms ?? ["control", "treatment"];
  const frame: RunFrame = {
    experiment: experimentOf(parts.metrics, names),
    periods: [{ startsAt: 0, shares: Object.fromEntries(names.map((arm) => [arm, 1 / names.length])) }],
    variantEdits: [],
    label: nightly,
    until,
    computedAt: until + 1,
    limits: { ...PLAN_LIMITS.free, monthlyJudgeEvaluations: null },
    codeVersion: "1.2.3",
    prices: { asOf: dayOf(0), prices: [] },
    judged: [],
    nights: [],
    decision: null,
    planChanges: [],
    exclusions: { last: 0, matches: [] },
    qaUsersSeen: new Map(),
    ...change,
  };
  const whole: ArmSnapshot = {
    exposures: names.map((arm) => exposure(arm, 1000)),
    metrics: [],
    outcomes: 1000,
    droppedPreExposure: 0,
    variantConflicts: 0,
    firstExposureAt: until - 3_600_000,
    ...snapshot,
  };
  return analyze(frame, whole, {
    health,
    attribution: attribution ?? NO_ATTRIBUTION_FACTS,
    loggedTraces,
    sampling,
    agentRuns,
    firstExposures: firstExposures ?? exposuresOf(frame),
  });
}

/** Every judged user in the arm of the call, two hours before the cut-off. */
function exposuresOf({ judged }: RunFrame): readonly FirstExposure[] {
  const arms = new Map(judged.flatMap(({ calls }) => calls.map(({ userId, arm }) => [userId, arm] as const)));
  return [...arms].map(([userId, arm]) => ({
    userId,
    arm,
    period: 0,
    at: until - 7_200_000,
    isContaminated: false,
  }));
}

export const codes = (results: ReturnType<typeof run>) => results.health.map(({ code }) => code);
