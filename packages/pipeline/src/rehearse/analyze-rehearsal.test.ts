import { REHEARSAL_METRICS, type RehearsalFacts, type RehearsalMetric } from "@assay/domain";
import { adjustFdr } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { FAILED, type Outcome, type Rehearsed, rehearsalOf } from "../test-support/rehearsals.ts";
import { analyzeRehearsal } from "./analyze-rehearsal.ts";

const WIN: Outcome = { preferences: ["treatment", "treatment"] };
const LOSS: Outcome = { preferences: ["control", "control"] };

function analyze(rehearsed: Rehearsed, outcomeOf?: Parameters<typeof rehearsalOf>[1]) {
  return analyzeRehearsal(rehearsalOf(rehearsed, outcomeOf));
}

const rowOf = (report: ReturnType<typeof analyzeRehearsal>, metric: RehearsalMetric, treatment = "new") =>
  report.rows.find((row) => row.metric === metric && row.treatment === treatment)!;

describe("the rows", () => {
  test("are those of the mode, for every treatment", () => {
    const names = (mode: "pairwise" | "score") =>
      analyze({ inputs: 40, mode, treatments: ["a", "b"] }).rows.map(({ metric, treatment }) => [
        treatment,
        metric,
      ]);
    const all = (left: RehearsalMetric) =>
      ["a", "b"].flatMap((treatment) =>
        REHEARSAL_METRICS.filter((metric) => metric !== left).map((metric) => [treatment, metric]),
      );
    expect(names("pairwise")).toEqual(all("score"));
    expect(names("score")).toEqual(all("preference"));
  });

  test("are over the inputs that both arms answered, and that were judged, in every repeat", () => {
    const report = analyze({ inputs: 50, repeats: 2, perUser: 2 }, (input, _, repeat) => {
      if (input < 4 && repeat === 1) return { isOpen: true };
      if (input < 6) return { preferences: ["treatment", null] };
      return WIN;
    });
    expect(rowOf(report, "preference")).toMatchObject({ inputs: 44, clusters: 22, effect: 1 });
    expect(rowOf(report, "length")).toMatchObject({ inputs: 46, clusters: 23 });
    expect(report.rows.map(({ inputs }) => inputs)).toEqual([44, 46, 46, 46, 46, 46]);
  });

  test("average over repeats first, then over inputs by what they stand for", () => {
    const report = analyze(
      { inputs: 40, repeats: 2, probability: (input) => (input < 10 ? 0.25 : 1) },
      (input, _, repeat) => {
        const length = 100 + 10 * input + 30 * repeat;
        return { control: { length: 80 + repeat }, treatment: { length } };
      },
    );
    const inputs = Array.from({ length: 40 }, (_, i) => ({ w: i < 10 ? 4 : 1, t: 115 + 10 * i }));
    const total = inputs.reduce((sum, { w }) => sum + w, 0);
    const expected = inputs.reduce((sum, { w, t }) => sum + w * t, 0) / total;
    const row = rowOf(report, "length");
    expect(row.controlValue).toBeCloseTo(80.5, 9);
    expect(row.treatmentValue).toBeCloseTo(expected, 9);
    expect(row.effect).toBeCloseTo(expected - 80.5, 9);
  });

  test("have wider intervals if the inputs belong to few users", () => {
    const width = (perUser: number) => {
      const report = analyze({ inputs: 400, perUser }, (input) =>
        Math.floor(input / 10) % 2 === 0 ? WIN : LOSS,
      );
      const { ciLow, ciHigh } = rowOf(report, "preference");
      return ciHigh! - ciLow!;
    };
    expect(width(10)).toBeGreaterThan(3 * width(1));
  });

  test("hold an always-valid interval around the plain one", () => {
    const { ciLow, ciHigh, alwaysValidLow, alwaysValidHigh } = rowOf(
      analyze({ inputs: 100 }, (input) => (input % 3 === 0 ? WIN : {})),
      "preference",
    );
    expect(alwaysValidLow).toBeLessThan(ciLow!);
    expect(alwaysValidHigh).toBeGreaterThan(ciHigh!);
  });

  test("are corrected over all rows that have a p-value", () => {
    const report = analyze({ inputs: 100, treatments: ["a", "b"] }, (input, treatment) => ({
      ...(input % (3 + treatment) === 0 ? WIN : {}),
      treatment: { latencyMs: 100 + (input % 7) * (1 - treatment), costUsd: null },
    }));
    const known = report.rows.filter(({ pValue }) => pValue !== null);
    expect(known.map(({ metric }) => metric)).toEqual([
      ...["preference", "error", "latency_ms"],
      ...["preference", "error"],
    ]);
    expect(known.map(({ adjustedPValue }) => adjustedPValue)).toEqual(
      adjustFdr(known.map(({ pValue }) => pValue!)),
    );
    expect(known.map(({ isSignificant }) => isSignificant)).toEqual([true, false, true, true, false]);
    const unknown = report.rows.filter(({ pValue }) => pValue === null);
    expect(
      unknown.every(({ isSignificant, adjustedPValue }) => !isSignificant && adjustedPValue === null),
    ).toBe(true);
  });

  test("without a value have no numbers", () => {
    const cost = rowOf(
      analyze({ inputs: 40 }, () => ({ treatment: { costUsd: null } })),
      "cost_usd",
    );
    expect(cost).toMatchObject({ inputs: 0, clusters: 0, effect: null, controlValue: null, pValue: null });
    const one = rowOf(
      analyze({ inputs: 1 }, () => ({ treatment: { length: 90 } })),
      "length",
    );
    expect(one).toMatchObject({ inputs: 1, clusters: 1, effect: 10, treatmentValue: 90, ciLow: null });
  });

  test("stay within what a metric can be", () => {
    const { ciHigh, alwaysValidHigh } = rowOf(
      analyze({ inputs: 30 }, (input) => (input < 29 ? WIN : LOSS)),
      "preference",
    );
    expect([ciHigh, alwaysValidHigh]).toEqual([1, 1]);
  });
});

describe("both orders", () => {
  test.each([
    { preferences: ["treatment", "treatment"], value: 1 },
    { preferences: ["control", "control"], value: -1 },
    { preferences: ["treatment", "tie"], value: 0.5 },
    { preferences: ["tie", "control"], value: -0.5 },
    { preferences: ["control", "treatment"], value: 0 },
    { preferences: ["treatment", "control"], value: 0 },
    { preferences: ["tie", "tie"], value: 0 },
  ] as const)("$preferences count $value", ({ preferences, value }) => {
    expect(
      rowOf(
        analyze({ inputs: 40 }, () => ({ preferences })),
        "preference",
      ).effect,
    ).toBe(value);
  });

  test("show what the judge gives for the first place, and how often it contradicts itself", () => {
    // A quarter of the pairs each: the first twice, a consistent one, half a preference for the first, a tie.
    const kinds = [
      ["control", "treatment"],
      ["treatment", "treatment"],
      ["control", "tie"],
      ["tie", "tie"],
    ] as const;
    const { orderBias } = analyze({ inputs: 200 }, (input) => ({ preferences: kinds[input % 4]! }));
    expect(orderBias).toMatchObject({ estimate: (1 + 0 + 0.5 + 0) / 4, inconsistentShare: 0.25 });
    expect(orderBias!.low).toBeGreaterThan(0.3);
    expect(orderBias!.high).toBeLessThan(0.45);
  });

  test("count the last place as a bias below 0, and its contradictions alike", () => {
    const { orderBias } = analyze({ inputs: 50 }, () => ({ preferences: ["treatment", "control"] }));
    expect(orderBias).toMatchObject({ estimate: -1, low: -1, inconsistentShare: 1 });
  });

  test("weigh inputs, over all treatments and repeats", () => {
    const { orderBias } = analyze(
      { inputs: 60, repeats: 2, treatments: ["a", "b"], probability: (input) => (input < 20 ? 0.5 : 1) },
      (input) => ({ preferences: input < 20 ? ["control", "treatment"] : ["tie", "tie"] }),
    );
    expect(orderBias!.estimate).toBeCloseTo(0.5, 12);
    expect(orderBias!.inconsistentShare).toBeCloseTo(1 / 3, 12);
  });

  test("say nothing without pairs that were judged twice, and in mode score", () => {
    expect(analyze({ inputs: 40 }, () => ({ preferences: ["tie", null] })).orderBias).toBeNull();
    expect(analyze({ inputs: 40, mode: "score" }).orderBias).toBeNull();
  });
});

describe("failed answers", () => {
  test("count as errors, lose the pair, and have no latency, cost or length", () => {
    const report = analyze({ inputs: 100 }, (input) => {
      if (input < 5) return { treatment: FAILED };
      if (input < 8) return { control: FAILED };
      return input < 10 ? { control: FAILED, treatment: FAILED } : {};
    });
    expect(rowOf(report, "preference").effect).toBeCloseTo((3 - 5) / 100, 12);
    expect(rowOf(report, "preference").inputs).toBe(100);
    expect(rowOf(report, "error")).toMatchObject({ controlValue: 0.05, treatmentValue: 0.07 });
    expect(rowOf(report, "length").inputs).toBe(90);
  });

  test("have the smallest score of the scale", () => {
    const report = analyze({ inputs: 100, mode: "score" }, (input) =>
      input < 10 ? { treatment: FAILED } : {},
    );
    expect(rowOf(report, "score")).toMatchObject({ inputs: 100, controlValue: 3, treatmentValue: 2.8 });
  });

  test("leave the other repeats of the input", () => {
    const report = analyze({ inputs: 60, repeats: 3 }, (input, _, repeat) => ({
      treatment: repeat === 0 && input < 30 ? FAILED : { length: 90 + repeat },
    }));
    expect(rowOf(report, "length")).toMatchObject({ inputs: 60, controlValue: 80 });
    expect(rowOf(report, "length").treatmentValue).toBeCloseTo((91 + 91.5) / 2, 9);
  });
});

describe("people's picks", () => {
  /** The judge always prefers the treatment, people prefer neither on average. */
  const biased = (picks: number) => (input: number) => ({
    ...(input % 5 === 4 ? LOSS : WIN),
    ...(input < picks ? { pick: input % 2 === 0 ? ("control" as const) : ("treatment" as const) } : {}),
  });

  test("correct the judge from 50 on", () => {
    const [few, enough] = [49, 50].map((picks) =>
      rowOf(analyze({ inputs: 400 }, biased(picks)), "preference"),
    );
    expect(few).toMatchObject({ isCorrected: false, picks: 49, effect: expect.closeTo(0.6, 12) });
    expect(enough).toMatchObject({ isCorrected: true, picks: 50 });
    expect(Math.abs(enough!.effect!)).toBeLessThan(0.2);
    expect(enough!.ciLow).toBeLessThan(0);
    expect(enough!.inputs).toBe(400);
  });

  test("leave out failed pairs, which need nobody", () => {
    const report = analyze({ inputs: 400 }, (input) =>
      input % 10 === 0 ? { treatment: FAILED, pick: "treatment" } : biased(100)(input),
    );
    const row = rowOf(report, "preference");
    // A tenth lost; the others are even, as far as people say.
    expect(row.isCorrected).toBe(true);
    expect(row.effect).toBeLessThan(0.05);
    expect(row.effect).toBeGreaterThan(-0.25);
  });

  test("say nothing of equal answers, which are ties without anybody", () => {
    const half = (isSame: (input: number) => boolean) =>
      analyze({ inputs: 400 }, (input) => {
        const pick = input % 2 === 0 && input < 200 ? { pick: "treatment" as const } : {};
        return isSame(input) ? { isSame: true } : { ...WIN, ...pick };
      });
    const row = rowOf(
      half((input) => input % 2 === 1),
      "preference",
    );
    expect(row).toMatchObject({ isCorrected: true, picks: 100, effect: expect.closeTo(0.5, 12) });
    const others = rowOf(
      half(() => false),
      "preference",
    );
    expect(others.effect).toBeCloseTo(1, 12);
  });

  test("of pairs without a judgement, and of one user, correct nothing", () => {
    const unjudged = analyze({ inputs: 400 }, (input) =>
      input < 60 ? { preferences: [null, null], pick: "control" } : WIN,
    );
    expect(rowOf(unjudged, "preference")).toMatchObject({ isCorrected: false, inputs: 340 });
    const one = analyze({ inputs: 400, perUser: 60 }, (input) => ({
      ...(input % 2 === 0 ? WIN : LOSS),
      ...(input < 60 ? { pick: "control" } : {}),
    }));
    expect(rowOf(one, "preference").isCorrected).toBe(false);
  });

  test("say nothing of scores", () => {
    const report = analyze({ inputs: 100, mode: "score" }, () => ({ pick: "control" }));
    expect(rowOf(report, "score")).toMatchObject({ isCorrected: false, effect: 0 });
  });
});

describe("what cannot be placed", () => {
  const plain = rehearsalOf({ inputs: 60, repeats: 2 }, (input) => (input % 3 === 0 ? WIN : {}));

  test.each<[string, (facts: RehearsalFacts) => RehearsalFacts]>([
    ["an input that was erased", (facts) => ({ ...facts, items: facts.items.slice(1) })],
    [
      "an arm that the plan lacks",
      (facts) => ({
        ...facts,
        answers: [...facts.answers, { ...facts.answers[0]!, arm: "third", hasFailed: true }],
      }),
    ],
    [
      "a repeat that the plan lacks",
      (facts) => ({
        ...facts,
        judgements: [...facts.judgements, { ...facts.judgements[0]!, repeat: 2, preference: "control" }],
      }),
    ],
  ])("is left out: %s", (name, change) => {
    const row = rowOf(analyzeRehearsal(change(plain)), "preference");
    const inputs = name.includes("erased") ? 59 : 60;
    expect(row.inputs).toBe(inputs);
    expect(row.effect).toBeCloseTo((inputs === 59 ? 19 : 20) / inputs, 12);
  });

  test("absent `same` and `unjudged` are none", () => {
    const { same: _, unjudged: __, ...facts } = plain;
    expect(analyzeRehearsal(facts)).toEqual(analyzeRehearsal(plain));
  });
});

test("nothing known yet gives a report without a verdict", () => {
  const report = analyze({ inputs: 100 }, () => ({ isOpen: true }));
  expect(report).toMatchObject({ isEnough: false, orderBias: null, verdicts: [{ fault: "no-data" }] });
  expect(report.rows.every(({ inputs, effect }) => inputs === 0 && effect === null)).toBe(true);
});
