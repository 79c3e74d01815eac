import type { RehearsalRow } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { FAILED, type Outcome, type Rehearsed, rehearsalOf } from "../test-support/rehearsals.ts";
import { analyzeRehearsal } from "./analyze-rehearsal.ts";
import { giveVerdict, isSettled, type Judged } from "./give-verdict.ts";

const ROW: RehearsalRow = {
  ...{ metric: "preference", treatment: "new", inputs: 400, clusters: 400 },
  ...{ controlValue: null, treatmentValue: null, effect: 0, ciLow: -0.05, ciHigh: 0.05 },
  ...{ alwaysValidLow: -0.09, alwaysValidHigh: 0.09, pValue: 1, adjustedPValue: 1 },
  ...{ isSignificant: false, isCorrected: false, picks: 0 },
};
const COST: RehearsalRow = { ...ROW, metric: "cost_usd", controlValue: 0.02, treatmentValue: 0.02 };

type Interval = readonly [low: number | null, high: number | null];

function judged({
  interval: [ciLow, ciHigh] = [-0.05, 0.05] as Interval,
  sequence: [alwaysValidLow, alwaysValidHigh] = [-0.09, 0.09] as Interval,
  treatments = 1,
  pValue = 0.01 as number | null,
  metric = "preference" as "preference" | "score",
  cost = {} as Partial<RehearsalRow>,
  fault = null as Judged["fault"],
  margin = 0.1,
  inputs = 400,
}): Judged {
  const arms = Array.from({ length: treatments + 1 }, (_, i) => ({
    ...{ name: `${i}`, prompt: null, model: "m", parameters: {} },
  }));
  const effect = ciLow === null || ciHigh === null ? null : (ciLow + ciHigh) / 2;
  const own = { metric, inputs, effect, ciLow, ciHigh, alwaysValidLow, alwaysValidHigh, pValue };
  return { plan: { arms, margin }, quality: { ...ROW, ...own }, cost: { ...COST, ...cost }, fault };
}

describe("a verdict", () => {
  test.each([
    { interval: [-0.0999, 0.2], verdict: "not-worse" },
    { interval: [0.01, 0.2], verdict: "not-worse" },
    { interval: [-0.09, -0.01], verdict: "not-worse" },
    { interval: [-0.1, 0.2], verdict: "undecided" },
    { interval: [-0.2, 0], verdict: "undecided" },
    { interval: [-0.2, -0.01], verdict: "worse" },
    { interval: [null, null], verdict: "undecided" },
  ] as const)("of the interval $interval is $verdict", ({ interval, verdict }) => {
    expect(giveVerdict(judged({ interval }))).toMatchObject({ verdict, fault: null, treatment: "new" });
  });

  test.each([
    { treatments: 1, pValue: 0.05, verdict: "worse" },
    { treatments: 2, pValue: 0.025, verdict: "worse" },
    { treatments: 2, pValue: 0.026, verdict: "undecided" },
    { treatments: 4, pValue: 0.0125, verdict: "worse" },
    { treatments: 4, pValue: 0.0126, verdict: "undecided" },
  ])("of $treatments treatments with p $pValue is $verdict", ({ treatments, pValue, verdict }) => {
    expect(giveVerdict(judged({ interval: [-0.2, -0.01], treatments, pValue })).verdict).toBe(verdict);
  });

  test("is withheld for a fault, whatever the interval", () => {
    const one = giveVerdict(judged({ interval: [0.1, 0.2], fault: "judge-inconsistent" }));
    expect(one).toMatchObject({ verdict: "invalid", fault: "judge-inconsistent", isCheaper: false });
    expect(one.detail).toContain("contradicts itself in more than 60% of the pairs");
  });

  test.each([
    { cost: { effect: -0.005, isSignificant: true }, isCheaper: true },
    { cost: { effect: 0.005, isSignificant: true }, isCheaper: false },
    { cost: { effect: -0.005, isSignificant: false }, isCheaper: false },
  ])("is cheaper only if the cost is significantly lower: $cost", ({ cost, isCheaper }) => {
    const own = giveVerdict(judged({ cost }));
    expect(own.isCheaper).toBe(isCheaper);
    expect(own.detail.includes("It costs 25% less.")).toBe(isCheaper);
    expect(giveVerdict(judged({ cost, interval: [-0.2, 0.1] })).isCheaper).toBe(false);
  });
});

describe("the text", () => {
  test.each([
    {
      own: { interval: [-0.05, 0.0712] },
      text: "The preference changed by +0.011 (95% CI -0.05 to +0.071): a loss beyond the margin of 0.1 is ruled out.",
    },
    {
      own: { interval: [-0.4, -0.2], metric: "score" },
      text: "The score changed by -0.3 (95% CI -0.4 to -0.2). Keep control, or change the treatment and rehearse again.",
    },
    {
      // (z(.975) + z(.8)) · (0.2 / 2 / 1.96) / 0.1 = 1.4295, squared 2.0434.
      own: { interval: [-0.15, 0.05], inputs: 1000 },
      text: "The preference changed by -0.05 (95% CI -0.15 to +0.05), so a loss beyond the margin of 0.1 is neither shown nor ruled out. About 2,044 inputs would rule out such a loss if the arms are alike; 1,000 were compared.",
    },
    {
      own: { interval: [-0.12, 0] },
      text: "The preference changed by -0.06 (95% CI -0.12 to +0), so a loss beyond the margin of 0.1 is neither shown nor ruled out. More inputs may not help: the effect seems to be near the margin.",
    },
    {
      own: { interval: [-0.12, 0.1], margin: 0 },
      text: "The preference changed by -0.01 (95% CI -0.12 to +0.1), so a loss beyond the margin of 0 is neither shown nor ruled out. With a margin of 0, no number of inputs can show that a treatment equal to control is not worse: set a margin above 0.",
    },
    {
      own: { interval: [null, null] },
      text: "The preference changed by an amount whose error is not known, so a loss beyond the margin of 0.1 is neither shown nor ruled out. Add inputs.",
    },
  ] as { own: Parameters<typeof judged>[0]; text: string }[])("$text", ({ own, text }) => {
    expect(giveVerdict(judged(own)).detail).toBe(text);
  });
});

describe("enough", () => {
  test.each([
    { interval: [-0.05, 0.05], sequence: [-0.09, 0.09], settled: true },
    { interval: [-0.05, 0.05], sequence: [-0.11, 0.09], settled: false },
    { interval: [-0.3, -0.1], sequence: [-0.4, -0.01], settled: true },
    { interval: [-0.3, -0.1], sequence: [-0.4, 0.01], settled: false },
    { interval: [-0.3, 0.1], sequence: [-0.4, 0.2], settled: false },
    // The loss is certain, and within the margin or beyond it.
    { interval: [-0.09, -0.05], sequence: [-0.11, -0.01], settled: false },
  ] as const)("is known of $interval in $sequence: $settled", ({ interval, sequence, settled }) => {
    expect(isSettled(judged({ interval, sequence }))).toBe(settled);
    expect(isSettled(judged({ interval, sequence, fault: "judge-failed" }))).toBe(false);
  });
});

describe("a whole rehearsal", () => {
  const WIN: Outcome = { preferences: ["treatment", "treatment"] };
  const LOSS: Outcome = { preferences: ["control", "control"] };
  const analyze = (rehearsed: Rehearsed, outcomeOf?: Parameters<typeof rehearsalOf>[1]) =>
    analyzeRehearsal(rehearsalOf(rehearsed, outcomeOf));
  const verdictOf = (...own: Parameters<typeof analyze>) => {
    const { verdict, fault } = analyze(...own).verdicts[0]!;
    return fault ?? verdict;
  };

  test("of arms that are always alike is not worse, and enough", () => {
    const report = analyze({ inputs: 200 });
    expect(report).toMatchObject({ isEnough: true, verdicts: [{ verdict: "not-worse", isCheaper: false }] });
  });

  test("is enough only if every treatment is", () => {
    const report = analyze({ inputs: 200, treatments: ["a", "b"] }, (input, treatment) =>
      treatment === 0 ? {} : input % 2 === 0 ? LOSS : WIN,
    );
    expect(report.verdicts.map(({ verdict }) => verdict)).toEqual(["not-worse", "undecided"]);
    expect(report.isEnough).toBe(false);
  });

  test("finds a treatment that is worse, and one that is cheaper", () => {
    expect(verdictOf({ inputs: 200 }, (input) => (input % 3 === 0 ? LOSS : {}))).toBe("worse");
    const [verdict] = analyze({ inputs: 200, mode: "score" }, (input) => ({
      ...{ scores: [3, 3 + (input % 2)], treatment: { costUsd: 0.004 + (input % 3) / 1_000 } },
    })).verdicts;
    expect(verdict).toMatchObject({ verdict: "not-worse", isCheaper: true });
    expect(verdict!.detail).toContain("It costs 50% less.");
  });

  const failing = (side: "control" | "treatment", count: number) => (input: number) =>
    input < count ? { [side]: FAILED } : {};
  const unjudged = (count: number) => (input: number) =>
    input < count ? { isUnjudged: true, preferences: [null, null] as const } : {};
  const contradicting = (count: number) => (input: number) =>
    input < count ? { preferences: ["control", "treatment"] as const } : {};

  test.each([
    { what: "control failed often", inputs: 100, outcome: failing("control", 21), is: "too-many-failures" },
    {
      what: "the treatment failed often",
      inputs: 100,
      outcome: failing("treatment", 21),
      is: "too-many-failures",
    },
    { what: "few answers failed", inputs: 100, outcome: failing("treatment", 20), is: "worse" },
    { what: "few answers came", inputs: 12, outcome: failing("treatment", 9), is: "too-few-inputs" },
    { what: "the judge failed", inputs: 100, outcome: unjudged(5), is: "judge-failed" },
    { what: "the judge failed rarely", inputs: 101, outcome: unjudged(5), is: "not-worse" },
    { what: "the judge failed four times", inputs: 50, outcome: unjudged(4), is: "not-worse" },
    {
      what: "the judge contradicts itself",
      inputs: 100,
      outcome: contradicting(61),
      is: "judge-inconsistent",
    },
    { what: "the judge is often unsure", inputs: 100, outcome: contradicting(60), is: "not-worse" },
    { what: "few users", inputs: 29, outcome: () => ({}), is: "too-few-inputs" },
    { what: "enough users", inputs: 30, outcome: () => ({}), is: "undecided" },
    {
      what: "nothing was judged",
      inputs: 40,
      outcome: () => ({ preferences: [null, null] as const }),
      is: "no-data",
    },
  ])("if $what is $is", ({ inputs, outcome, is }) => {
    expect(verdictOf({ inputs }, outcome)).toBe(is);
  });

  test("counts users, not inputs", () => {
    expect(verdictOf({ inputs: 58, perUser: 2 })).toBe("too-few-inputs");
    expect(verdictOf({ inputs: 600, perUser: 20 })).not.toBe("too-few-inputs");
  });

  test("with an inconsistent judge holds if people's picks correct it", () => {
    const outcome = (input: number): Outcome => ({
      ...contradicting(300)(input),
      ...(input < 100 ? { pick: input % 4 === 0 ? "treatment" : "tie" } : {}),
    });
    expect(verdictOf({ inputs: 400 }, outcome)).toBe("not-worse");
  });
});
