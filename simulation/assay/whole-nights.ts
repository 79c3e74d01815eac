import {
  type ArmExposure,
  type ArmMetric,
  addDays,
  createMetric,
  DAY_MS,
  type Day,
  type Experiment,
  type ExperimentResults,
  firstVersion,
  type MetricDefinition,
  NO_ATTRIBUTION_FACTS,
  PLAN_LIMITS,
  startOfDay,
  type UserValues,
} from "@assay/domain";
import { analyze, type Night, toNight } from "@assay/pipeline";
import { ratioMomentsOf } from "@assay/stats";
import type { Draw } from "../random/draw.ts";

/** Nights of an experiment. */
export const NIGHTS = 28;
const START = "2026-01-05" as Day;
const ARMS = ["control", "treatment"] as const;
/** Enough for the boundaries of the looks, and a tenth of a night's permutations. */
const PERMUTATIONS = 1_000;

/** A metric and its users' values. */
export interface Course {
  readonly metric: Pick<MetricDefinition, "name" | "kind"> & Partial<MetricDefinition>;
  /** One user's value. */
  readonly value: (draw: Draw, arm: (typeof ARMS)[number]) => number;
}

export interface WholeExperiment {
  readonly courses: readonly Course[];
  readonly usersPerDay: number;
  /** Over all users. */
  readonly treatmentShare: number;
}

/**
 * Runs an experiment of four weeks night by night, each night with the results of earlier nights, as the service does.
 */
export function* wholeNights(
  { courses, usersPerDay, treatmentShare }: WholeExperiment,
  draw: Draw,
): Generator<ExperimentResults> {
  const experiment = experimentOf(courses, { usersPerDay, treatmentShare, seed: draw.seed() });
  const perDay = [Math.round(usersPerDay * (1 - treatmentShare)), Math.round(usersPerDay * treatmentShare)];
  const values = courses.map(() => ARMS.map((): number[] => []));
  const nights: Night[] = [];
  let decision: ExperimentResults["decision"] = null;
  for (let night = 1; night <= NIGHTS; night++) {
    for (const [c, { value }] of courses.entries())
      for (const [a, arm] of ARMS.entries())
        for (let user = 0; user < perDay[a]!; user++) values[c]![a]!.push(value(draw, arm));
    const until = startOfDay(START) + night * DAY_MS;
    const results = analyze(
      {
        experiment,
        periods: [
          { startsAt: 0, shares: { control: perDay[0]! / usersPerDay, treatment: perDay[1]! / usersPerDay } },
        ],
        variantEdits: [],
        label: { kind: "nightly", day: addDays(START, night - 1) },
        until,
        computedAt: until,
        limits: { ...PLAN_LIMITS.pro, maxPermutations: PERMUTATIONS },
        codeVersion: "simulation",
        prices: { asOf: START, prices: [] },
        judged: [],
        nights: nights.slice(-14),
        decision,
        planChanges: [],
        exclusions: { last: 0, matches: [] },
        qaUsersSeen: new Map(),
      },
      {
        exposures: ARMS.map((arm, a) => exposureOf(arm, perDay[a]!, night)),
        metrics: courses.flatMap(({ metric }, c) =>
          ARMS.map((arm, a) => armMetric(metric, arm, values[c]![a]!)),
        ),
        outcomes: 1,
        droppedPreExposure: 0,
        variantConflicts: 0,
        firstExposureAt: startOfDay(START),
      },
      {
        health: [],
        attribution: NO_ATTRIBUTION_FACTS,
        loggedTraces: [],
        sampling: [],
        agentRuns: null,
        firstExposures: [],
      },
    );
    nights.push(toNight(results));
    decision = results.decision ?? decision;
    yield results;
  }
}

function experimentOf(
  courses: readonly Course[],
  { usersPerDay, seed }: { usersPerDay: number; treatmentShare: number; seed: number },
): Experiment {
  const content = firstVersion({
    ...{ name: "simulated", salt: "s", bucketCount: 1_000 },
    allocation: ARMS.map((variant) => ({ variant, weight: 1 })),
    metrics: courses.map(({ metric }) =>
      createMetric({
        ...{ category: "business", methodDefault: "auto", metricVersion: 1, sharedOrgWide: false },
        ...metric,
      }),
    ),
    plan: { horizonWeeks: NIGHTS / 7, basis: "traffic", expectedUsers: usersPerDay * NIGHTS },
  });
  const fixed = { orgId: "org", version: 1, servedAt: 0, createdAt: 0, updatedAt: 0, isDemo: false };
  return { ...content, ...fixed, id: `simulated-${seed}` };
}

function exposureOf(arm: string, perDay: number, night: number): ArmExposure {
  const usersByDay = new Map(
    Array.from({ length: night }, (_, index) => [addDays(START, index), perDay] as const),
  );
  return {
    ...{ arm, period: 0, users: perDay * night, usersByDay },
    ...{ testUsers: 0, contaminatedUsers: 0, heavyUsers: 0 },
  };
}

function armMetric({ name, kind }: Course["metric"], arm: string, list: readonly number[]): ArmMetric {
  const y = Float64Array.from(list);
  const unknown = new Float64Array(y.length).fill(Number.NaN);
  const sample: UserValues = {
    type: "values",
    y,
    d: new Float64Array(y.length).fill(1),
    preY: unknown,
    preD: unknown,
  };
  const { n, ...moments } = ratioMomentsOf(sample);
  return {
    ...{ metric: name, arm, period: 0, users: n, events: n },
    ...moments,
    // Used only by the distribution of a row.
    fineCounts: new Map([[0, n]]),
    sample: kind === "binary" ? null : sample,
  };
}
