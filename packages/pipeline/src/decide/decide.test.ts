import {
  type ArmMetric,
  type Claim,
  DAY_MS,
  type DecisionStatus,
  dayOf,
  type ExperimentResults,
  type JudgeMark,
  type MetricDefinition,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { toNight } from "../nights.ts";
import type { RunFrame } from "../run-frame.ts";
import { sums } from "../test-support/arms.ts";
import { experimentOf, exposure, metric, run } from "../test-support/runs.ts";
import { claimsOf } from "./claims.ts";

const START = Date.UTC(2026, 0, 5);
const USERS_PER_DAY = 100;
const ARMS = ["control", "treatment"];

/** A metric's mean in both arms after so many days; its spread is 1. */
type Means = (days: number) => readonly [control: number, treatment: number];
interface Course {
  readonly metric: MetricDefinition;
  readonly means: Means;
}

const course = (name: string, change: Partial<MetricDefinition>, means: Means): Course => ({
  metric: metric(name, { targetEffect: 0.01, ...change }),
  means,
});
/** The target .1 needs 1,570 users per arm for 80% power at one look. */
const primary = (treatment: number, change: Partial<MetricDefinition> = {}) =>
  course("main", change, () => [10, treatment]);
const guardrail = (treatment: number, margin: number | null = 0.2) =>
  course("guard", { role: "guardrail", margin }, () => [10, treatment]);
const secondary = (treatment: number) => course("side", { role: "secondary" }, () => [10, treatment]);

interface Options {
  readonly plan?: Partial<RunFrame["experiment"]["config"]["plan"]>;
  readonly usersPerDay?: number;
  readonly change?: (night: number) => Partial<RunFrame>;
}

/** Runs the nights in order, each with the results of the earlier ones. */
function nightsOf(
  courses: readonly Course[],
  days: number,
  { plan, usersPerDay = USERS_PER_DAY, change }: Options = {},
) {
  const experiment = experimentOf(courses.map((one) => one.metric));
  const planned = { ...experiment.config.plan, horizonWeeks: 2, expectedUsers: 2_800, ...plan };
  const results: ExperimentResults[] = [];
  for (let day = 1; day <= days; day++) {
    const users = usersPerDay * day;
    const until = START + day * DAY_MS;
    const data = courses.flatMap(({ metric: { name }, means }) =>
      ARMS.map((arm, index): ArmMetric => sums({ metric: name, arm }, users, { mean: means(day)[index]! })),
    );
    const usersByDay = new Map(
      Array.from({ length: day }, (_, index) => [dayOf(START + index * DAY_MS), usersPerDay] as const),
    );
    results.push(
      run(
        { metrics: courses.map((one) => one.metric) },
        {
          metrics: data,
          exposures: ARMS.map((arm) => exposure(arm, users, { usersByDay })),
        },
        {
          experiment: { ...experiment, config: { ...experiment.config, plan: planned } },
          label: { kind: "nightly", day: dayOf(until - 1) },
          until,
          nights: results.slice(-14).map(toNight),
          decision: results.at(-1)?.decision ?? null,
          ...change?.(day),
        },
      ),
    );
  }
  // The first nights have too few users for a row.
  return results.map(({ decision }) => decision ?? NOTHING);
}

const NOTHING = { state: "none", decidedOn: null } as unknown as DecisionStatus;

const statesOf = (courses: readonly Course[], days: number, options?: Options) =>
  nightsOf(courses, days, options).map(({ state }) => state);

describe("before the minimum run is over", () => {
  test("nothing is decided; the state is `winning` when evidence holds at any look", () => {
    const nights = nightsOf([primary(11)], 6);
    expect(nights.at(-1)).toMatchObject({ state: "winning", look: 0, boundary: null, decidedOn: null });
    expect(nightsOf([primary(10)], 6).at(-1)).toMatchObject({ state: "running", treatment: "treatment" });
  });

  test("the minimum run counts from the day of the first exposure", () => {
    const [decided] = nightsOf([primary(11)], 7).slice(-1);
    expect(decided).toMatchObject({
      ...{ state: "ready-to-decide", decidedState: "ready-to-decide", decidedOn: "2026-01-11", look: 1 },
      ...{ earliestEnd: START + 7 * DAY_MS, plannedEnd: START + 14 * DAY_MS, treatment: "treatment" },
    });
    expect(nightsOf([primary(11)], 14, { plan: { minWeeks: 2 } }).map(({ decidedOn }) => decidedOn)).toEqual([
      ...Array.from({ length: 13 }, () => null),
      "2026-01-18",
    ]);
  });
});

describe("the decision look", () => {
  test("is the first at which a boundary is crossed; its numbers stay", () => {
    // Ahead until the eighth night, then without effect.
    const fading = course("main", {}, (day) => [10, day <= 8 ? 10.2 : 10]);
    const nights = nightsOf([fading], 20);
    const decidedAt = nights.findIndex(({ decidedOn }) => decidedOn !== null);
    expect(nights[decidedAt]).toMatchObject({ state: "ready-to-decide" });
    const { evidence } = nights[decidedAt]!;
    expect(evidence[0]!.z).toBeGreaterThanOrEqual(evidence[0]!.boundary!);
    expect(evidence[0]).toMatchObject({
      kind: "better",
      metOn: nights[decidedAt]!.decidedOn,
      effect: expect.closeTo(0.2, 9),
    });
    for (const later of nights.slice(decidedAt)) {
      expect(later).toMatchObject({ state: "ready-to-decide", evidence });
    }
  });

  test("is at the planned end at the latest, and reports that nothing was found", () => {
    const nights = nightsOf([primary(10.01)], 16);
    expect(nights.map(({ decidedOn }) => decidedOn).slice(11)).toEqual([
      null,
      null,
      ...Array(3).fill("2026-01-18"),
    ]);
    expect(nights[12]).toMatchObject({ state: "running" });
    expect(nights[13]).toMatchObject({ state: "no-difference", information: 1, treatment: "treatment" });
  });

  test("comes before the planned end when the information is complete", () => {
    const [last] = nightsOf([primary(10.01)], 9, { usersPerDay: 500 }).slice(-1);
    expect(last).toMatchObject({ state: "no-difference", information: 1, decidedOn: "2026-01-11" });
  });

  test("with a fixed plan is the planned end alone", () => {
    const nights = nightsOf([primary(10.3)], 14, { plan: { looks: "fixed" } });
    expect(nights[12]).toMatchObject({ decidedOn: null, state: "winning" });
    expect(nights[13]).toMatchObject({
      state: "ready-to-decide",
      boundary: expect.closeTo(1.96, 2),
      look: 1,
    });
  });

  test("with an always-valid plan rests on the confidence sequence", () => {
    const valid = { plan: { looks: "always_valid" } } as const;
    expect(nightsOf([primary(10.3)], 7, valid).at(-1)).toMatchObject({
      state: "ready-to-decide",
      boundary: null,
    });
    expect(nightsOf([primary(10.1)], 7, valid).at(-1)).toMatchObject({ state: "running" });
  });

  test("needs a row for every primary metric", () => {
    const late = metric("late");
    const [last] = nightsOf([primary(11)], 8, {
      change: () => ({ experiment: withMetric(late) }),
    }).slice(-1);
    expect(last).toMatchObject({ state: "winning", decidedOn: null });
  });

  test("is never a manual run", () => {
    const [last] = nightsOf([primary(11)], 8, {
      change: () => ({ label: { kind: "manual", at: START } }),
    }).slice(-1);
    expect(last).toMatchObject({ state: "winning", decidedOn: null, look: 0 });
  });
});

const withMetric = (late: MetricDefinition) => {
  const experiment = experimentOf([primary(11).metric, late]);
  return {
    ...experiment,
    config: { ...experiment.config, plan: { ...experiment.config.plan, horizonWeeks: 2 } },
  };
};

describe("after the decision look", () => {
  test("fixed p-values change nothing: a difference that comes late must hold at any look", () => {
    const late = (effect: number) => course("main", {}, (day) => [10, day <= 14 ? 10 : 10 + effect]);
    // z = 2.5 on day 21: significant, and no always-valid evidence.
    expect(nightsOf([late(0.077)], 21).at(-1)).toMatchObject({ state: "no-difference" });
    expect(nightsOf([late(0.2)], 21).at(-1)).toMatchObject({
      state: "ready-to-decide",
      decidedState: "ready-to-decide",
      decidedOn: "2026-01-18",
    });
  });

  test("a change of the plan is reported", () => {
    const at = START + 9 * DAY_MS;
    const planChanges = [
      { at: START - 1, reason: "before" },
      { at, reason: "more time" },
    ];
    const nights = nightsOf([primary(10)], 10, { change: () => ({ planChanges }) });
    expect(nights[8]!.planChanges).toEqual([]);
    expect(nights[9]!.planChanges).toEqual([planChanges[1]]);
  });
});

describe("a margin", () => {
  test("that is open keeps a better treatment from being ready, and gives the days needed", () => {
    const nights = nightsOf([primary(10.5), guardrail(10, 0.1)], 8);
    expect(nights[7]).toMatchObject({
      state: "better-guardrail-open",
      decidedOn: null,
      open: [{ metric: "guard", treatment: "treatment", labels: null }],
    });
    expect(nights[7]!.open[0]!.days).toBeGreaterThan(0);
    const [end] = nightsOf([primary(10.5), guardrail(9.95, 0.1)], 14).slice(-1);
    expect(end).toMatchObject({ state: "better-guardrail-open", decidedOn: "2026-01-18" });
  });

  test("that is met makes the treatment ready", () => {
    expect(nightsOf([primary(10.5), guardrail(10, 0.5)], 8).at(-1)).toMatchObject({
      state: "ready-to-decide",
      open: [],
    });
  });

  test("that is open prevents `no-difference`", () => {
    const [end] = nightsOf([primary(10), guardrail(9.95, 0.1)], 15).slice(-1);
    expect(end).toMatchObject({ state: "running", decidedState: "running", decidedOn: "2026-01-18" });
    expect(nightsOf([primary(10), guardrail(10, 0.3)], 15).at(-1)).toMatchObject({ state: "no-difference" });
  });

  test("that is settled after the planned end, by evidence that holds at any look, completes the answer", () => {
    const states = statesOf([primary(10.5), guardrail(10, 0.072)], 40);
    expect(states[13]).toBe("better-guardrail-open");
    expect(states[39]).toBe("ready-to-decide");
  });
});

test("a row that comes after the decision look is met by evidence that holds at any look", () => {
  const [main, guard] = [primary(10), guardrail(10)];
  const before = nightsOf([main], 14).at(-1)!;
  expect(before).toMatchObject({ decidedState: "no-difference", evidence: [{ metric: "main" }] });
  const after = nightsOf([main, guard], 40, { change: () => ({ decision: before }) }).at(-1)!;
  expect(after.open).toEqual([]);
  expect(after.evidence.find(({ metric }) => metric === "guard")!.metOn).not.toBeNull();
});

describe("a loss", () => {
  test("of a secondary metric beside a win gives `mixed` and is named", () => {
    const [end] = nightsOf([primary(10.5), secondary(9.5)], 14).slice(-1);
    expect(end).toMatchObject({
      ...{ state: "mixed", decidedOn: "2026-01-18" },
      losses: [{ metric: "side", treatment: "treatment" }],
    });
    expect(nightsOf([primary(10.5), secondary(9.5)], 20).at(-1)).toMatchObject({ state: "mixed" });
    expect(nightsOf([primary(10.5), secondary(9.5)], 8).at(-1)).toMatchObject({
      state: "mixed",
      decidedOn: null,
    });
  });

  test("of a primary metric is an alarm only by evidence that holds at any look", () => {
    // z = −2.5 on day 8.
    expect(nightsOf([primary(9.875)], 8).at(-1)).toMatchObject({ state: "running", alarms: [] });
    expect(nightsOf([primary(9.5)], 3).at(-1)).toMatchObject({
      state: "losing",
      alarms: [{ metric: "main", treatment: "treatment" }],
    });
  });

  test("of a guardrail takes precedence over a win", () => {
    expect(nightsOf([primary(10.5), guardrail(9.875, null)], 8).at(-1)).toMatchObject({ alarms: [] });
    const [end] = nightsOf([primary(10.5), guardrail(9.5, null)], 14).slice(-1);
    expect(end).toMatchObject({ state: "guardrail-failing", decidedState: "mixed" });
  });

  test("that is certainly within the margin does not count", () => {
    const [end] = nightsOf([primary(10.5), guardrail(9.8, 0.6)], 14).slice(-1);
    expect(end).toMatchObject({ state: "ready-to-decide", alarms: [], losses: [] });
  });
});

describe("of several treatments", () => {
  /** After a night with 1,000 users per arm: the primary metric and a secondary one, of each treatment. */
  const night = (means: Readonly<Record<string, readonly [main: number, side: number]>>, days: number) => {
    const arms = ["control", ...Object.keys(means)];
    const metrics = [primary(0).metric, secondary(0).metric];
    const data = metrics.flatMap(({ name }, of) =>
      arms.map((arm) => sums({ metric: name, arm }, 1_000, { mean: means[arm]?.[of] ?? 10 })),
    );
    const until = START + days * DAY_MS;
    const usersByDay = new Map([[dayOf(START), 1_000]]);
    const exposures = arms.map((arm) => exposure(arm, 1_000, { usersByDay }));
    const label = { kind: "nightly", day: dayOf(until - 1) } as const;
    return run({ metrics, arms }, { metrics: data, exposures }, { label, until }).decision;
  };

  test("the loss of one does not keep another from being ready", () => {
    expect(night({ a: [10, 9.5], b: [10.5, 10] }, 14)).toMatchObject({
      state: "ready-to-decide",
      treatment: "b",
    });
    expect(night({ a: [10, 10], b: [10.5, 9.5] }, 14)).toMatchObject({ state: "mixed", treatment: "b" });
  });

  test("the one with the strongest evidence leads", () => {
    expect(night({ a: [10.05, 10], b: [10.1, 10] }, 7)).toMatchObject({ decidedOn: null, treatment: "b" });
    expect(night({ a: [10.1, 10], b: [10.05, 10] }, 7)).toMatchObject({ decidedOn: null, treatment: "a" });
  });

  test("one that is ahead does not win if it loses elsewhere", () => {
    expect(night({ a: [10, 10], b: [10.5, 9.5] }, 3)).toMatchObject({ state: "running" });
    expect(night({ a: [10, 9.5], b: [10.5, 10] }, 3)).toMatchObject({ state: "winning" });
  });
});

describe("cheaper and not worse", () => {
  const cost = (treatment: number) =>
    course(
      "cost",
      {
        role: "secondary",
        category: "cost",
        desired: "decrease",
        source: { event: "model_call", field: "cost_usd" },
      },
      () => [10, treatment],
    );
  const kept = (treatment: number, margin: number) => primary(treatment, { margin });

  test("is ready once the saving and every margin are met", () => {
    const [end] = nightsOf([kept(10, 0.3), cost(9.5)], 14).slice(-1);
    expect(end).toMatchObject({ state: "ready-to-decide", treatment: "treatment" });
  });

  test("is not ready while the margin alone is met, and the saving only significant", () => {
    const nights = nightsOf([kept(10, 0.3), cost(9.85)], 7);
    expect(nights.at(-1)).toMatchObject({ state: "running", decidedOn: null, open: [] });
  });

  test("is not ready while a margin is open", () => {
    const [end] = nightsOf([kept(9.95, 0.1), cost(9.5)], 14).slice(-1);
    expect(end).toMatchObject({ state: "running", decidedOn: "2026-01-18" });
  });
});

test("confidence sequences are tuned to the plan's users, otherwise to the traffic of the first night, and stay so", () => {
  const tuned = (plan: Options["plan"]) =>
    nightsOf([primary(10)], 4, { plan })
      .slice(2)
      .map(({ expectedUsers }) => expectedUsers);
  expect(tuned({ expectedUsers: 9_000 })).toEqual(Array(2).fill({ treatment: 9_000 }));
  expect(tuned({ expectedUsers: null })).toEqual(Array(2).fill({ treatment: 2_048 }));
  // Nights older than decision plans were tuned to 5,000 users.
  const old = nightsOf([primary(10)], 4, { change: (night) => (night === 4 ? { decision: null } : {}) });
  expect(old[3]!.expectedUsers).toEqual({ treatment: 5_000 });
});

test("looks at the judge's opinion alone do not count for a row that labels correct", () => {
  const look = (isCalibrated: boolean, earlier: readonly Claim[]) => {
    const row = run({ metrics: [metric("m")] }, { metrics: twoArms(10.2) }).results["m::treatment"]!;
    const judged = { ...row, judge: { calibrated: isCalibrated } as JudgeMark };
    const plan = { ...experimentOf([]).config.plan, horizonWeeks: 2 };
    const now = { plan, isLook: true, isLast: false, isOver: false, day: dayOf(START) };
    return claimsOf({ better: [judged], bounded: [] }, earlier, now);
  };
  const twice = look(false, look(false, []));
  expect(twice[0]!.fractions).toHaveLength(1);
  const met = look(false, []).map((claim) => ({ ...claim, fractions: [0.2], metOn: dayOf(START) }));
  expect(look(false, met)[0]).toMatchObject({ metOn: dayOf(START), isCalibrated: false });
  expect(look(false, met)[0]!.fractions).toHaveLength(2);
  expect(look(true, met)[0]!.fractions).toHaveLength(1);
});

const twoArms = (mean: number) =>
  ARMS.map((arm, index) => sums({ metric: "m", arm }, 1_000, { mean: index === 0 ? 10 : mean }));
