import type { FirstExposure, MetricDefinition, ScoredCall } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { toNight } from "../nights.ts";
import { judge, judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { judgedPeople } from "../test-support/judged-people.ts";
import { codes, run, until } from "../test-support/runs.ts";

const runOf = (
  calls: readonly ScoredCall[],
  metric: Partial<MetricDefinition> = {},
  change: Parameters<typeof run>[2] = {},
) => run({ metrics: [judgedMetric(metric)] }, {}, { judged: [judgedOf(calls)], ...change });
const rowOf = (...of: Parameters<typeof runOf>) => runOf(...of).results["quality::treatment"]!;

/** No true difference, but the judge passes a tenth more of the treatment's answers. */
const biased = (labels: number) => [
  ...judgedPeople(1, { arm: "control", users: 2_000, good: 0.7, labels }),
  ...judgedPeople(2, { arm: "treatment", users: 2_000, good: 0.7, leniency: 0.3, labels }),
];

describe("a judged row", () => {
  test("of few labels is the judge's opinion, and says how many are missing", () => {
    const results = runOf(biased(49));
    const row = results.results["quality::treatment"]!;
    expect(row).toMatchObject({
      test: "permutation",
      significant: true,
      verdict: "better",
      nPerArm: { control: 2_000, treatment: 2_000 },
      eventsPerArm: { control: 2_000, treatment: 2_000 },
      judge: {
        version: "judge-1@0123456789abcdef",
        scale: "pass_fail",
        judgedPerArm: { control: 2_000, treatment: 2_000 },
        labelsPerArm: { control: 49, treatment: 49 },
        calibrated: false,
        lambda: null,
        uncalibrated: null,
      },
    });
    expect(results.health.find(({ code }) => code === "judge-opinion")).toEqual({
      code: "judge-opinion",
      severity: "info",
      detail:
        "quality of treatment is the judge's opinion. Labels correct it from 50 per arm on: control lacks 1, treatment lacks 1.",
    });
  });

  test("with at least 50 labels per arm is corrected by them, and keeps the judge's opinion", () => {
    const before = rowOf(biased(0));
    const results = runOf(biased(300));
    const row = results.results["quality::treatment"]!;
    expect(row).toMatchObject({ test: "ppi_z", significant: false, verdict: "inconclusive" });
    expect(row.judge).toMatchObject({
      calibrated: true,
      labelsPerArm: { control: 300, treatment: 300 },
      uncalibrated: {
        test: "permutation",
        effect: before.effect,
        pValue: before.pValue,
        ciLow: before.ciLow,
        ciHigh: before.ciHigh,
      },
    });
    expect(Object.keys(row.judge?.lambda ?? {})).toEqual(["control", "treatment"]);
    expect(row.judge?.lambda?.control).toBeGreaterThan(0.3);
    expect(before.ciLow).toBeGreaterThan(0);
    expect(Math.abs(row.effect)).toBeLessThan(before.effect);
    expect(row.ciLow).toBeLessThan(0);
    expect(row.ciSeqLow).toBeLessThan(row.ciLow!);
    expect(row.mde).not.toBeNull();
    expect(codes(results)).not.toContain("judge-opinion");
  });

  test("whose labels are all 1 on the scale from 1 to 5 stays the judge's opinion, since their spread is unknown", () => {
    const graded = biased(60).map((call) => ({ ...call, score: 1, label: call.label === null ? null : 1 }));
    const judged = (scale: "1-5" | "0-1") => rowOf(graded, { judge: { ...judge, scale } }).judge;
    expect(judged("1-5")).toMatchObject({ calibrated: false });
    expect(judged("0-1")).toMatchObject({ calibrated: true });
  });

  test("whose labels all pass is corrected by an upper bound on the failure rate", () => {
    const people = (arm: string, seed: number) =>
      judgedPeople(seed, { arm, users: 400, good: 1, labels: 50 });
    const row = runOf([...people("control", 1), ...people("treatment", 2)], { margin: 0.05 }).results[
      "quality::treatment"
    ]!;
    expect(row).toMatchObject({ test: "ppi_z", effect: 0, controlValue: 1, pValue: 1 });
    expect(row.judge?.calibrated).toBe(true);
    expect(row.ciLow).toBeLessThan(-(1 - 0.025 ** (1 / 50)));
    expect(row.nonInferiority?.isNotWorse).toBe(false);
  });

  test("whose labels have no spread says that they cannot correct it", () => {
    const calls = ["control", "treatment"].flatMap((arm) =>
      Array.from({ length: 400 }, () => scored({ arm, score: 0.5, label: 0.5 })),
    );
    const { health } = runOf(calls, { judge: { ...judge, scale: "0-1" } });
    expect(health.find(({ code }) => code === "judge-opinion")?.detail).toBe(
      "quality of treatment is the judge's opinion. Its labels have no spread, so they cannot correct it.",
    );
  });

  test.each([
    { arm: "control", labels: [49, 60] },
    { arm: "treatment", labels: [60, 49] },
  ])("needs the labels in $arm too", ({ labels: [control, treatment] }) => {
    const calls = [
      ...judgedPeople(1, { arm: "control", users: 300, good: 0.7, labels: control! }),
      ...judgedPeople(2, { arm: "treatment", users: 300, good: 0.7, labels: treatment! }),
    ];
    expect(rowOf(calls).judge?.calibrated).toBe(false);
  });

  test.each<{ what: string; metric: Partial<MetricDefinition>; test: string; codes: string[] }>([
    { what: "kind mean", metric: { kind: "mean" }, test: "ppi_z", codes: [] },
    { what: "a requested test", metric: { method: "ppi_z" }, test: "ppi_z", codes: [] },
    {
      what: "another requested test",
      metric: { method: "ratio_delta" },
      test: "ratio_delta",
      codes: ["judge-opinion"],
    },
    {
      what: "kind ordinal",
      metric: { kind: "ordinal" },
      test: "mann_whitney_u",
      codes: ["judge-opinion"],
    },
    {
      what: "kind binary",
      metric: { kind: "binary" },
      test: "two_proportion_z",
      codes: ["judge-opinion"],
    },
  ])("of $what runs $test", ({ metric, test, codes: expected }) => {
    const results = runOf(biased(100), metric);
    expect(results.results["quality::treatment"]?.test).toBe(test);
    expect(codes(results).filter((code) => code === "judge-opinion" || code === "method-fallback")).toEqual(
      expected,
    );
  });

  test("that requests the correction without labels says which test ran instead", () => {
    const results = runOf(biased(10), { method: "ppi_z" });
    expect(codes(results)).toContain("method-fallback");
    expect(results.results["quality::treatment"]?.test).toBe("permutation");
  });

  test("reports the probabilities of its calls and the judge's repeatability", () => {
    const calls = biased(0).map((call, index) => ({
      ...call,
      probability: index % 2 === 0 ? 0.2 : 0.8,
      repeatScore: index < 10 ? (index < 2 ? 1 - call.score : call.score) : null,
    }));
    expect(rowOf(calls).judge).toMatchObject({
      probabilityLow: 0.2,
      probabilityHigh: 0.8,
      retestSd: expect.closeTo(Math.sqrt(2 / 10 / 2), 12),
    });
    expect(rowOf(biased(0)).judge?.retestSd).toBeNull();
  });

  test("weighs users equally for kind mean, and calls equally for kind ratio", () => {
    // Users with three bad calls each, beside users with one good call.
    const people = (arm: string) =>
      judgedPeople(3, { arm, users: 400, good: 0.5, labels: 400 }).flatMap((call, index) => {
        const isHeavy = index % 2 === 0;
        const score = isHeavy ? 0 : 1;
        const own = { ...call, score, label: index < 5 ? 1 - score : score };
        return isHeavy ? [0, 1, 2].map((n) => ({ ...own, eventId: `${call.eventId}-${n}` })) : [own];
      });
    const calls = [...people("control"), ...people("treatment")];
    expect(rowOf(calls, { kind: "mean" }).controlValue).toBeCloseTo((200 - 2 + 3) / 400, 9);
    expect(rowOf(calls).controlValue).toBeCloseTo((200 - 2 + 3 * 3) / 800, 9);
  });

  test("ignores the evidence of nights without labels, and continues that of nights with labels", () => {
    const [opinion, corrected] = [runOf(biased(0)), runOf(biased(300))];
    const alone = corrected.results["quality::treatment"]!.pValueSeq!;
    expect(opinion.results["quality::treatment"]!.pValueSeq).toBeLessThan(alone);
    const nights = [toNight(opinion)];
    expect(rowOf(biased(300), {}, { nights }).pValueSeq).toBe(alone);
    expect(rowOf(biased(0), {}, { nights }).pValueSeq).toBe(opinion.results["quality::treatment"]!.pValueSeq);
    const strong = toNight({
      srm: corrected.srm,
      results: { "quality::treatment": { ...corrected.results["quality::treatment"]!, pValueSeq: 0.01 } },
    });
    expect(rowOf(biased(300), {}, { nights: [...nights, strong] }).pValueSeq).toBe(0.01);
    expect(rowOf(biased(0), {}, { nights: [strong] }).pValueSeq).not.toBe(0.01);
  });

  test("over two allocations is corrected within the mix of both", () => {
    // The second period has the better answers and assigns more users to treatment: no effect within
    // either period.
    const parts = [
      { arm: "control", period: 0, users: 900, good: 0.3 },
      { arm: "treatment", period: 0, users: 100, good: 0.3 },
      { arm: "control", period: 1, users: 500, good: 0.9 },
      { arm: "treatment", period: 1, users: 500, good: 0.9 },
    ];
    const people = parts.map((part, seed) => ({
      ...part,
      calls: judgedPeople(seed + 5, { ...part, labels: part.users }).map((call) => ({
        ...call,
        eventId: `${part.period}-${call.eventId}`,
        userId: `${part.period}-${call.userId}`,
      })),
    }));
    const firstExposures = people.flatMap(({ arm, period, calls }) =>
      calls.map(({ userId }): FirstExposure => ({ userId, arm, period, at: 0, isContaminated: false })),
    );
    const periods = [
      { startsAt: 0, shares: { control: 0.9, treatment: 0.1 } },
      { startsAt: until - 7_200_000, shares: { control: 0.5, treatment: 0.5 } },
    ];
    const row = run(
      { metrics: [judgedMetric()] },
      { exposures: [] },
      { judged: [judgedOf(people.flatMap(({ calls }) => calls))], firstExposures, periods },
    ).results["quality::treatment"]!;
    expect(row).toMatchObject({ test: "ppi_z", periods: 2, verdict: "inconclusive" });
    const shareOf = (index: number) => {
      const own = people[index]!.calls;
      return own.reduce((sum, { label }) => sum + (label ?? 0), 0) / own.length;
    };
    expect(row.controlValue).toBeCloseTo((shareOf(0) + shareOf(2)) / 2, 9);
    expect(row.treatmentValue).toBeCloseTo((shareOf(1) + shareOf(3)) / 2, 9);
  });
});

describe("a judged metric", () => {
  test("shows its scores by level", () => {
    const calls = [
      ...judgedPeople(1, { arm: "control", users: 300, good: 0.5 }).map((call, i) => ({
        ...call,
        score: 1 + (i % 5),
      })),
      ...judgedPeople(2, { arm: "treatment", users: 300, good: 0.5 }).map((call) => ({ ...call, score: 5 })),
    ];
    const row = rowOf(calls, { judge: { ...judge, scale: "1-5" } });
    expect(row.distribution).toEqual({
      control: { binEdges: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], counts: [60, 60, 60, 60, 60] },
      treatment: { binEdges: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], counts: [0, 0, 0, 0, 300] },
    });
  });

  test("of kind binary shows users", () => {
    const calls = judgedPeople(1, { arm: "control", users: 300, good: 1 }).map((call) => ({
      ...call,
      score: 1,
    }));
    const twice = calls.map((call) => ({ ...call, eventId: `${call.eventId}-2`, score: 0 }));
    const treated = judgedPeople(2, { arm: "treatment", users: 300, good: 0.5 });
    const row = rowOf([...calls, ...twice, ...treated], { kind: "binary" });
    expect(row.distribution.control).toEqual({ binEdges: [-0.5, 0.5, 1.5], counts: [300, 0] });
    expect(row).toMatchObject({ nPerArm: { control: 300 }, eventsPerArm: { control: 600 }, controlValue: 0 });
  });

  test("with too few judged calls is collecting", () => {
    const calls = judgedPeople(1, { arm: "control", users: 100, good: 0.5 });
    expect(runOf(calls).health.find(({ code }) => code === "metric-collecting")?.detail).toBe(
      "quality is collecting: control 100 judged calls of 100 users, treatment 0 judged calls of 0 users. Every arm needs 200 judged calls of 20 users.",
    );
  });

  test.each([
    { what: "without a rubric", metric: { judge: null }, of: judgedOf(biased(0)), why: "no rubric" },
    {
      what: "without a drawn call",
      metric: {},
      of: { metric: "quality", summary: null, calls: [] },
      why: "no call was drawn",
    },
    {
      what: "without a judgement",
      metric: {},
      of: judgedOf([], { arms: { control: { pending: 5, scored: 0, failed: 7, labels: 0 } } }),
      why: "5 drawn calls wait for their judgement, and 7 judgements failed",
    },
    {
      what: "with only users that do not count",
      metric: {},
      of: judgedOf(biased(0).map((call) => ({ ...call, occurredAt: 0 }))),
      why: "no judged call is of a user who counts",
    },
  ])("$what says so", ({ metric, of, why }) => {
    const results = run({ metrics: [judgedMetric(metric)] }, {}, { judged: [of] });
    expect(results.results).toEqual({});
    expect(results.health.find(({ code }) => code === "metric-not-judged")?.detail).toContain(why);
  });

  test("forecasts by the pace of judged users, not of all users", () => {
    const row = rowOf(
      biased(0).map((call, index) => ({ ...call, occurredAt: until - 1 - (index % 7) * 86_400_000 })),
      { targetEffect: 0.02 },
      {
        firstExposures: biased(0).map(({ userId, arm }) => ({
          userId,
          arm,
          period: 0,
          at: 0,
          isContaminated: false,
        })),
      },
    );
    // 4,000 judged users in a week; the precision for 2 % of 0.67 takes several times as many.
    const missing = 4_000 * ((row.mde! / row.daysToGo!.targetEffect) ** 2 - 1);
    expect(row.daysToGo?.days).toBeCloseTo(missing / (4_000 / 7), 0);
  });

  test("gives the same bytes for the same scores", () => {
    const [once, again] = [runOf(biased(80)), runOf(biased(80))];
    expect(JSON.stringify(again)).toBe(JSON.stringify(once));
  });
});
