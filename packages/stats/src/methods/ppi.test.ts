import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ppiDifference, ppiMean, type ScoredUnit } from "./ppi.ts";

/** Park and Miller's generator, which is easy to write in any language. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** One call per user, all with the same weight; the first `labels` have a label. */
function plainArm(seed: number, { labels, shift }: { labels: number; shift: number }): ScoredUnit[] {
  const uniform = uniforms(seed);
  return Array.from({ length: 300 }, (_, i) => {
    const [quality, noise, bar] = [uniform(), uniform(), uniform()];
    const label = i < labels ? Number(quality + shift > bar) : null;
    return { cluster: i, weight: 1, score: (quality + noise) / 2, label };
  });
}

/** Scores 1 to 5 of users with very different numbers of calls, drawn with unequal probabilities. */
function clusteredArm(seed: number): ScoredUnit[] {
  const uniform = uniforms(seed);
  return Array.from({ length: 120 }, () => {
    const [quality, noise, chance, weight, user] = [uniform(), uniform(), uniform(), uniform(), uniform()];
    const score = 1 + Math.floor(5 * quality);
    const label = Math.min(5, Math.max(1, score - 1 + Math.floor(3 * noise)));
    return {
      cluster: Math.floor(40 * user * user),
      weight: 1 + Math.floor(4 * weight) / 2,
      score,
      label: chance < 0.3 ? label : null,
    };
  });
}

const plain = {
  control: plainArm(1, { labels: 40, shift: 0 }),
  treatment: plainArm(2, { labels: 50, shift: 0.1 }),
};
const clustered = { control: clusteredArm(11), treatment: clusteredArm(12) };

describe("ppiDifference", () => {
  /**
   * ppi-python 0.2.3 per arm: λ by ppi._calc_lam_glm(Y, f, f_unlabelled, eye(1), clip=True), the value by
   * ppi_mean_pointestimate(…); the variance from the two parts of ppi_mean_ci(…, alpha=.05) (numpy's var), each times
   * (n / (n − 1))² and both times (G − 1) / G, which is the jackknife of means; p by scipy 1.17.1's stats.norm.sf.
   */
  test("is that of ppi_py when each user has one call", () => {
    const outcome = ppiDifference(plain)!;
    expect(outcome).toMatchObject({
      test: "ppi_z",
      controlValue: expect.closeTo(0.40490520894084214, 12),
      treatmentValue: expect.closeTo(0.5906244905780456, 12),
      effect: expect.closeTo(0.18571928163720341, 12),
      standardError: expect.closeTo(0.09794644740597103, 12),
      statistic: expect.closeTo(1.8961308608512284, 11),
      pValue: expect.closeTo(0.05794274271564274, 12),
      ciLow: expect.closeTo(-0.006252227692146395, 12),
      ciHigh: expect.closeTo(0.3776907909665532, 12),
      criticalValue: expect.closeTo(1.959963984540054, 12),
      permutationsUsed: 0,
      isAtFloor: false,
      lambda: { control: 1, treatment: expect.closeTo(0.8263500408073392, 12) },
    });
  });

  /**
   * numpy 2.4.6 per arm: λ from cov(…, aweights=w), ddof 0 for that of labels and scores and 1 for the variance, and Kish's
   * sizes; the value by average(…, weights=w), and anew without each user in turn, G of them: (G − 1) / G Σ shift². Fieller's
   * bounds by scipy 1.17.1's optimize.brentq.
   */
  test("has weighted means and whole users' variance", () => {
    const outcome = ppiDifference(clustered)!;
    expect(outcome).toMatchObject({
      controlValue: expect.closeTo(3.027291455359208, 12),
      treatmentValue: expect.closeTo(2.7344854707433033, 12),
      effect: expect.closeTo(-0.2928059846159048, 12),
      standardError: expect.closeTo(0.2504563882144912, 12),
      pValue: expect.closeTo(0.24236749194083196, 12),
      ciLow: expect.closeTo(-0.7836914852142896, 12),
      ciHigh: expect.closeTo(0.19807951598247997, 12),
      lambda: {
        control: expect.closeTo(0.47038124502710615, 12),
        treatment: expect.closeTo(0.7079173397639088, 12),
      },
      relative: {
        effect: expect.closeTo(-0.09672209925395547, 12),
        ciLow: expect.closeTo(-0.2418289371108273, 10),
        ciHigh: expect.closeTo(0.07091714208831346, 10),
      },
    });
  });

  test("of arms whose labels all agree has the error of one user more who agrees, and one who does not", () => {
    const arm = (label: number, users: number) =>
      Array.from({ length: users }, (_, cluster) => ({ cluster, weight: 1, score: 0.5, label }));
    const { effect, standardError } = ppiDifference({ control: arm(0, 60), treatment: arm(1, 90) })!;
    const variance = (users: number) => (1 * (users + 1)) / (users + 2) ** 2 / users;
    expect(effect).toBeCloseTo(1, 12);
    expect(standardError).toBeCloseTo(Math.sqrt(variance(60) + variance(90)), 12);
    // On a scale from 1 to 5, the same labels say nothing about how far others may lie.
    const wider = { isWithinOne: false };
    expect(ppiDifference({ control: arm(1, 60), treatment: plain.treatment })).not.toBeNull();
    expect(ppiDifference({ control: arm(1, 60), treatment: plain.treatment }, wider)).toBeNull();
  });

  test("changes only its sign when the arms are swapped", () => {
    const there = ppiDifference(clustered)!;
    const back = ppiDifference({ control: clustered.treatment, treatment: clustered.control })!;
    expect(back.effect).toBeCloseTo(-there.effect, 12);
    expect([back.ciLow, back.ciHigh]).toEqual([-there.ciHigh!, -there.ciLow!]);
    expect(back.pValue).toBeCloseTo(there.pValue, 12);
  });

  test("depends neither on the unit of the weights nor on the users' numbers or order", () => {
    const there = ppiDifference(clustered)!;
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), fc.nat(), (factor, offset) => {
        const renamed = clustered.control.map((unit) => ({
          ...unit,
          weight: factor * unit.weight,
          cluster: offset + 39 - unit.cluster,
        }));
        const other = ppiDifference({ control: renamed.toReversed(), treatment: clustered.treatment })!;
        expect(other.effect).toBeCloseTo(there.effect, 10);
        expect(other.standardError).toBeCloseTo(there.standardError!, 10);
      }),
    );
  });

  test("a constant that the judge adds to an arm's scores changes nothing", () => {
    const there = ppiDifference(clustered)!;
    const biased = clustered.treatment.map((unit) => ({ ...unit, score: unit.score + 3 }));
    const other = ppiDifference({ ...clustered, treatment: biased })!;
    expect(other.effect).toBeCloseTo(there.effect, 12);
    expect(other.standardError).toBeCloseTo(there.standardError!, 12);
  });

  const humanOnly = { control: [0, 0, 1, 1, 1, 1], treatment: [0, 1, 1, 1, 1, 1] };
  const units = (labels: readonly number[], scoreOf: (label: number, i: number) => number) =>
    labels.map((label, i) => ({ cluster: i, weight: 1, score: scoreOf(label, i), label }));
  const unlabelled = (scores: readonly number[], cluster = 100) =>
    scores.map((score, i) => ({ cluster: cluster + i, weight: 1, score, label: null }));

  test.each([
    { name: "every call has a label", rest: () => [] },
    { name: "the calls without label are of one user", rest: () => unlabelled([0.3]) },
    { name: "all scores are the same", scoreOf: () => 0.5, rest: () => unlabelled([0.5, 0.5, 0.5]) },
    {
      name: "scores fall where labels rise",
      scoreOf: (label: number) => -label,
      rest: () => unlabelled([0, 0.5, 1]),
    },
  ])("is that of the labels alone when $name", ({ scoreOf = (label: number) => label, rest }) => {
    const arm = (labels: readonly number[]) => [...units(labels, scoreOf), ...rest()];
    const outcome = ppiDifference({
      control: arm(humanOnly.control),
      treatment: arm(humanOnly.treatment),
    })!;
    expect(outcome.lambda).toEqual({ control: 0, treatment: 0 });
    expect(outcome.controlValue).toBeCloseTo(4 / 6, 12);
    expect(outcome.treatmentValue).toBeCloseTo(5 / 6, 12);
    // p (1 − p) / (n − 1) of both.
    expect(outcome.standardError).toBeCloseTo(Math.sqrt((8 / 36 + 5 / 36) / 5), 12);
  });

  const sound = units(humanOnly.control, (label) => label);
  test.each([
    { name: "there are no calls", arm: [] },
    { name: "there are no labels", arm: unlabelled([0, 1, 0, 1]) },
    {
      name: "the labels are of one user",
      arm: [
        ...units([0, 1], (label) => label).map((unit) => ({ ...unit, cluster: 1 })),
        ...unlabelled([0, 1]),
      ],
    },
    { name: "all labels are the same", arm: [...units([0.1, 0.1, 0.1], (_, i) => i), ...unlabelled([0, 1])] },
  ])("is null when in an arm $name", ({ arm }) => {
    expect(ppiDifference({ control: arm, treatment: sound })).toBeNull();
    expect(ppiDifference({ control: sound, treatment: arm })).toBeNull();
  });
});

describe("ppiMean", () => {
  const units = plainArm(1, { labels: 40, shift: 0 });
  const labelled = units.filter(({ label }) => label !== null);

  test("is one arm of ppiDifference, with four unseen labels", () => {
    const outcome = ppiDifference({ control: units, treatment: units.map((unit) => ({ ...unit })) })!;
    const mean = ppiMean(units, { known: [], reach: 1 })!;
    expect(mean.mean).toBeCloseTo(outcome.controlValue, 12);
    expect(mean.lambda).toBe(outcome.lambda.control);
    expect(mean.df).toBe(39);
    expect(mean.standardError ** 2).toBeCloseTo(outcome.standardError! ** 2 / 2 + 4 / 40 ** 2, 12);
    expect(ppiMean(units, { known: [], reach: 0 })!.standardError ** 2).toBeCloseTo(
      outcome.standardError! ** 2 / 2,
      12,
    );
  });

  test("weighs what is known beside what was drawn", () => {
    const alone = ppiMean(units, { known: [], reach: 0 })!;
    const known = Array.from({ length: 100 }, (_, i) => ({ cluster: 1_000 + i, weight: 1, value: 1 }));
    const both = ppiMean(units, { known, reach: 0 })!;
    expect(both.mean).toBeCloseTo((300 * alone.mean + 100) / 400, 12);
    // The error of the drawn part, and that of the known part's share.
    const ofShare = (1 - alone.mean) ** 2 * ((0.75 * 0.25) / 400);
    expect(both.standardError ** 2 / (0.75 ** 2 * alone.standardError ** 2 + ofShare)).toBeCloseTo(1, 1);
    expect(ppiMean(units, { known, reach: 1 })!.standardError ** 2 - both.standardError ** 2).toBeCloseTo(
      4 * (0.75 / 40) ** 2,
      12,
    );
  });

  test("includes the users who are in both parts", () => {
    const known = units.map(({ cluster, weight }) => ({ cluster, weight, value: cluster % 2 }));
    const same = ppiMean(units, { known, reach: 0 })!;
    const others = ppiMean(units, {
      known: known.map((unit) => ({ ...unit, cluster: unit.cluster + 1_000 })),
      reach: 0,
    })!;
    expect(same.mean).toBe(others.mean);
    expect(same.standardError).not.toBeCloseTo(others.standardError, 4);
  });

  test("has an error if all labels and scores agree, and is null for labels of one user", () => {
    const agreeing = units.map((unit) => ({ ...unit, score: 0, label: unit.label === null ? null : 0 }));
    expect(ppiMean(agreeing, { known: [], reach: 1 })).toEqual({
      ...{ mean: 0, standardError: 2 / 40, df: 39, lambda: 0 },
    });
    expect(ppiMean(labelled.slice(0, 1), { known: [], reach: 1 })).toBeNull();
  });
});
