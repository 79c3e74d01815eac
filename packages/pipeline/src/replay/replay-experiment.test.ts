import {
  type AllocationPeriod,
  type ArmMetric,
  dayOf,
  type MetricDefinition,
  PLAN_LIMITS,
} from "@assay/domain";
import { describe, expect, test } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import type { RunFrame } from "../run-frame.ts";
import { callers, normals, people, sums, uniforms, users } from "../test-support/arms.ts";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { experimentOf, metric, until } from "../test-support/runs.ts";
import { replay, replayEvents, replayExperiment } from "./replay-experiment.ts";

function frameOf(metrics: readonly MetricDefinition[], change: Partial<RunFrame> = {}): RunFrame {
  return {
    experiment: experimentOf(metrics),
    periods: [{ startsAt: 0, shares: { control: 0.5, treatment: 0.5 } }],
    variantEdits: [],
    label: { kind: "manual", at: until },
    until,
    computedAt: until + 1,
    limits: { ...PLAN_LIMITS.pro, monthlyJudgeEvaluations: null },
    codeVersion: "1.2.3",
    prices: { asOf: dayOf(0), prices: [] },
    judged: [],
    nights: [],
    decision: null,
    planChanges: [],
    qaUsersSeen: new Map(),
    exclusions: { last: 0, matches: [] },
    ...change,
  };
}

const run = (metrics: readonly MetricDefinition[], rows: readonly ArmMetric[]) =>
  replay(frameOf(metrics), { metrics: rows, exposures: [] }, []).metrics;
const replayOne = (one: MetricDefinition, row: ArmMetric) => run([one], [row])[0]!;

const place = (name: string) => ({ metric: name, arm: "control" });
const binary = (name: string, of: number, share: number) =>
  sums(place(name), of, { mean: share, variance: share * (1 - share) });

/** One user makes as many calls as all other users together, all of them slow. */
const oneHeavyCaller = (count: number) => {
  const uniform = uniforms(3);
  const calls = Array.from({ length: count }, () => [100 + 100 * uniform(), 100 + 100 * uniform()]);
  calls[7] = Array.from({ length: 2 * count }, () => 150 + 40 * uniform());
  return calls;
};

/** A few users pay; most pay nothing. */
function payments(count: number, share: number) {
  const [uniform, normal] = [uniforms(5), normals(6)];
  return Array.from({ length: count }, () => ({ y: uniform() < share ? Math.exp(2 * normal()) : 0 }));
}

describe("a clean experiment", () => {
  const clean = [
    metric("bought", { kind: "binary" }),
    metric("cost", { kind: "mean" }),
    metric("latency", { kind: "ratio" }),
    metric("p90", { kind: "quantile", quantile: 0.9 }),
    metric("grade", { kind: "ordinal" }),
  ];
  const normal = normals(11);
  const calls = Array.from({ length: 2_000 }, (_, user) => {
    const level = 100 * Math.exp(0.3 * normal());
    return Array.from({ length: 1 + (user % 4) }, () => level * Math.exp(0.2 * normal()));
  });
  const rows = [
    binary("bought", 600, 0.3),
    users(
      place("cost"),
      Array.from({ length: 600 }, () => ({ y: 10 + normal() })),
    ),
    users(place("latency"), people(4, 0, 200)),
    callers(place("p90"), calls),
    users(
      place("grade"),
      Array.from({ length: 600 }, (_, user) => ({ y: 1 + (user % 5) })),
    ),
  ];
  const replayed = replay(frameOf(clean), { metrics: rows, exposures: [] }, []);

  test("finds every metric correct", () => {
    expect(replayed.metrics.map(({ metric, verdict, causes }) => [metric, verdict, causes])).toEqual(
      clean.map(({ name }) => [name, "correct", []]),
    );
  });

  test("reports its settings", () => {
    const { metrics, ...head } = replayed;
    expect(head).toEqual({
      ...{ experimentId: "00000000-0000-7000-8000-000000000001", version: 1, control: "control" },
      ...{ until, computedAt: until + 1, splits: 1_000, permutations: 200, maxUsers: 6_000 },
    });
    const { detail, value, effectSd, standardError, smallestEffect, largestUserShare, ...cost } = metrics[1]!;
    expect(cost).toMatchObject({
      ...{ metricVersion: 1, users: 600, test: "permutation", splits: 1_000 },
      ...{ bandLow: 0.033, bandHigh: 0.069 },
    });
    expect(value).toBeCloseTo(10, 0);
    // Two halves of 300 users whose values have a spread of about 1.
    expect(effectSd).toBeGreaterThan(0.075);
    expect(effectSd).toBeLessThan(0.09);
    expect(standardError! / effectSd!).toBeCloseTo(1, 1);
    expect(smallestEffect! / effectSd!).toBeCloseTo(2.8016, 4);
    expect(largestUserShare).toBeLessThan(0.01);
    expect(detail).toBe("False positives occur as often as they should.");
  });

  test("gives the same result again, for a metric by itself too", () => {
    // Permutations take seconds: the night has them too.
    for (const index of isNight() ? [1, 4] : [4])
      expect(run([clean[index]!], [rows[index]!])).toEqual([replayed.metrics[index]]);
  });

  test("uses the same test as a night", () => {
    expect(replayed.metrics.map(({ test }) => test)).toEqual([
      "two_proportion_z",
      "permutation",
      "permutation",
      "cluster_quantile",
      "mann_whitney_u",
    ]);
    const [sampled] = run(
      [metric("cost")],
      [
        users(
          place("cost"),
          Array.from({ length: 600 }, (_, user) => ({ y: user % 7 })),
          500,
        ),
      ],
    );
    expect(sampled).toMatchObject({ test: "welch_t", users: 500, verdict: "correct" });
  });
});

describe("faults are found:", () => {
  test("a quantile of calls, half of them by one user", () => {
    const one = metric("p90", { kind: "quantile", quantile: 0.9 });
    const found = replayOne(one, callers(place("p90"), oneHeavyCaller(400)));
    expect(found.verdict).not.toBe("correct");
    expect(found.causes).toContain("heavy-users");
    expect(found.largestUserShare).toBeCloseTo(0.5, 2);
    expect(found.detail).toContain("One user holds 50% of the total");
  });

  test("a heavy user where the test has no answer at all", () => {
    const one = metric("p99", { kind: "quantile", quantile: 0.99 });
    const found = replayOne(one, callers(place("p99"), oneHeavyCaller(200)));
    expect(found).toMatchObject({ verdict: "no-data", causes: ["heavy-users"], splits: 0 });
    expect(found.largestUserShare).toBeCloseTo(0.5, 2);
    expect(found.detail).toBe(
      "Not enough data. The metric's test cannot compare most of the splits. One user holds 50% of the total: set that user aside if it is a machine, or cap the metric or count users instead of calls.",
    );
  });

  test("the rate over the splits that could be tested, with their wider band", () => {
    // A half needs 100 users, which about four halves in five have.
    const normal = normals(2);
    const rows = callers(
      place("p90"),
      Array.from({ length: 216 }, () => [Math.exp(normal()), Math.exp(normal())]),
    );
    const found = replayOne(metric("p90", { kind: "quantile", quantile: 0.9 }), rows);
    expect(found.splits).toBeGreaterThan(500);
    expect(found.splits).toBeLessThan(950);
    expect(found.bandLow).toBeLessThan(0.033);
    expect(found.bandHigh).toBeGreaterThan(0.069);
  });

  test("a cost that a few extreme payers dominate, by the closed form", () => {
    const one = metric("revenue", { method: "welch_t" });
    const few = payments(400, 0.01);
    few[0] = { y: 5_000 };
    const found = replayOne(one, users(place("revenue"), few));
    expect(found).toMatchObject({ verdict: "cautious", test: "welch_t" });
    expect(found.causes).toContain("heavy-users");
    expect(found.falsePositiveRate).toBeLessThan(0.033);
  });

  test("the same where permutations keep the rate right: the metric still depends on one user", () => {
    const few = payments(400, 0.01);
    few[0] = { y: 5_000 };
    const found = replayOne(metric("revenue"), users(place("revenue"), few));
    expect(found.verdict).toBe("doubtful");
    expect(found.causes).toContain("heavy-users");
    expect(found.bandLow! <= found.falsePositiveRate! && found.falsePositiveRate! <= found.bandHigh!).toBe(
      true,
    );
  });

  test("an outcome that hardly any user has", () => {
    const found = replayOne(metric("bought", { kind: "binary" }), binary("bought", 2_000, 0.002));
    expect(found).toMatchObject({ test: "fisher_exact", verdict: "cautious", causes: ["rare-outcome"] });
    expect(found.detail).toContain("only 2 users with the rarer outcome");
  });
});

test("a replay of conversations says so", () => {
  const ofConversations = (metrics: readonly MetricDefinition[]) => {
    const experiment = experimentOf(metrics);
    return frameOf(metrics, {
      experiment: { ...experiment, config: { ...experiment.config, unit: "conversation" } },
    });
  };
  const detail = (one: MetricDefinition, row: ArmMetric) =>
    replay(ofConversations([one]), { metrics: [row], exposures: [] }, []).metrics[0]!.detail;
  const place = { metric: "m", arm: "control" };
  const alike = new Array<number[]>(200).fill([7]);
  expect(detail(metric("m"), users(place, people(1, 0, 39)))).toContain("Needs 40 conversations");
  expect(detail(metric("m", { kind: "binary" }), sums(place, 900, { mean: 0, variance: 0 }))).toContain(
    "No conversation has a value yet.",
  );
  expect(detail(metric("m", { kind: "quantile", quantile: 0.5 }), callers(place, alike))).toContain(
    "All conversations have the same value.",
  );
  const heavy = callers(place, oneHeavyCaller(200));
  expect(detail(metric("m", { kind: "quantile", quantile: 0.99 }), heavy)).toContain(
    "One conversation holds 50% of the total: set its user aside",
  );
});

describe("there is no answer", () => {
  test.each<[string, MetricDefinition, readonly ArmMetric[], string]>([
    ["without users", metric("m"), [], "Needs 40 users"],
    ["with too few users", metric("m"), [users(place("m"), people(1, 0, 39))], "Needs 40 users"],
    ["where only sums are known", metric("m"), [sums(place("m"), 900)], "Needs 40 users"],
    [
      "for users of another arm only",
      metric("m"),
      [users({ metric: "m", arm: "treatment" }, people(1))],
      "Needs 40",
    ],
    [
      "when nobody has a value",
      metric("m", { kind: "binary" }),
      [binary("m", 900, 0)],
      "No user has a value yet.",
    ],
    [
      "when the test needs more users",
      metric("m", { kind: "quantile", quantile: 0.99 }),
      [
        callers(
          place("m"),
          Array.from({ length: 200 }, (_, user) => [100 + user, 200 + user]),
        ),
      ],
      "The metric's test cannot compare most of the splits.",
    ],
    [
      "when all calls are alike",
      metric("m", { kind: "quantile", quantile: 0.5 }),
      [callers(place("m"), new Array<number[]>(200).fill([7]))],
      "All users have the same value.",
    ],
  ])("%s", (_, one, rows, detail) => {
    const [found] = run([one], rows);
    expect(found).toMatchObject({ verdict: "no-data", falsePositiveRate: null, causes: [] });
    expect(found!.detail).toContain(detail);
  });
});

test("an experiment with many metrics splits fewer users per metric", () => {
  const many = Array.from({ length: 20 }, (_, index) => metric(`m${index}`));
  const replayed = replay(frameOf(many), { metrics: [], exposures: [] }, []);
  expect(replayed.maxUsers).toBe(1_500);
  expect(replay(frameOf([]), { metrics: [], exposures: [] }, []).maxUsers).toBe(6_000);
});

test("periods are split together, without those in which control has no share", () => {
  const periods: readonly AllocationPeriod[] = [
    { startsAt: 0, shares: { control: 0.1, treatment: 0.9 } },
    { startsAt: 1, shares: { control: 0.5, treatment: 0.5 } },
    { startsAt: 2, shares: { treatment: 1 } },
  ];
  const rows = [0, 1, 2].map((period) => users({ ...place("m"), period }, people(period + 1, 0, 100)));
  const [found] = replay(frameOf([metric("m")], { periods }), { metrics: rows, exposures: [] }, []).metrics;
  expect(found).toMatchObject({ users: 200, splits: 1_000 });
});

describe("a judged metric", () => {
  const replayJudged = (one: MetricDefinition, labels: number, people = 400) => {
    const calls = judgedPeople(3, { arm: "control", users: people, good: 0.7, labels });
    const firstExposures = calls.map(({ userId, arm }) => ({
      ...{ userId, arm, period: 0, at: until - 7_200_000, isContaminated: false },
    }));
    const frame = frameOf([one], { judged: [judgedOf(calls)] });
    return replay(frame, { metrics: [], exposures: [] }, firstExposures).metrics[0]!;
  };

  test("is replayed without and with the labels' correction", () => {
    expect(replayJudged(judgedMetric(), 0, 200)).toMatchObject({
      users: 200,
      test: "permutation",
      verdict: "correct",
    });
    expect(replayJudged(judgedMetric(), 400)).toMatchObject({ users: 400, test: "ppi_z" });
    expect(replayJudged(judgedMetric({ kind: "binary" }), 0)).toMatchObject({ test: "two_proportion_z" });
  });

  test("is replayed with fewer users, because each costs more", () => {
    expect(replayJudged(judgedMetric({ kind: "binary" }), 0, 1_600).users).toBe(1_500);
  });
});

test("reads only metrics, up to the requested instant, without excluded events", async () => {
  const one = metric("m");
  const experiment = experimentOf([one, judgedMetric()]);
  const asked: unknown[] = [];
  const judged = judgedOf([scored({ eventId: "kept" }), scored({ eventId: "bad" })]);
  const match = { variant: "treatment" };
  const replayed = await replayExperiment(experiment, until, {
    experiments: { listVersions: async () => [{ ...experiment, createdBy: "u" }] },
    events: { loadFirstSeen: async () => new Map() },
    exclusions: {
      list: async () => [
        {
          ...{ number: 1, match, reason: "bots", lifts: null, createdAt: 0 },
          actor: { id: "u", name: "Ada", email: "ada@example.com" },
        },
      ],
    },
    results: { put: async () => true, listNightlyBefore: async () => [] },
    judgements: {
      summarize: async () => [judged.summary!],
      listScored: async () => judged.calls,
    },
    clock: { now: () => until + 5 },
    limits: PLAN_LIMITS.free,
    codeVersion: "1.2.3",
    loadPrices: async () => ({ asOf: dayOf(0), prices: [] }),
    replay: (frame) =>
      replayEvents(frame, {
        async loadArms({ metrics, exclusions, until: cut, sample }) {
          asked.push({ metrics: metrics.map(({ name }) => name), exclusions, cut, sample });
          return {
            ...{ exposures: [], metrics: [users(place("m"), people(1))], outcomes: 0 },
            ...{ droppedPreExposure: 0, variantConflicts: 0, firstExposureAt: null },
          };
        },
        listExcluded: async () => new Set(["bad"]),
        async loadFirstExposures({ userIds }) {
          asked.push(userIds);
          return [];
        },
      }),
  });
  expect(asked).toEqual([
    {
      ...{ metrics: ["m"], exclusions: [match], cut: until },
      sample: { maxUsersPerArm: PLAN_LIMITS.free.maxSamplePerArm, preDays: 14 },
    },
    ["u-kept"],
  ]);
  expect(replayed).toMatchObject({ until, computedAt: until + 5 });
  expect(replayed.metrics.map(({ verdict }) => verdict)).toEqual(["correct", "no-data"]);
});
