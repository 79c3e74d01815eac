import { describe, expect, test } from "vitest";
import { createUniform } from "../random.ts";
import type { Stratum } from "../strata.ts";
import { carryOver, type DatedScores } from "./carry-over.ts";

interface Made {
  readonly users?: number;
  readonly units?: number;
  /** What treatment adds to a unit, and to the user's next one. */
  readonly effect?: number;
  readonly left?: number;
  readonly seed: number;
}

/** Units of users with levels of their own, in an order of time that is not that of the lists. */
function draw({ users = 300, units = 5, effect = 0.3, left = 0, seed }: Made): Stratum<DatedScores> {
  const uniform = createUniform(seed);
  const arms = { control: [] as number[][], treatment: [] as number[][] };
  for (let user = 0; user < users; user++) {
    const level = 2 * uniform();
    let carried = 0;
    for (let unit = 0; unit < units; unit++) {
      const isTreated = uniform() < 0.5;
      const score = level + uniform() + carried + (isTreated ? effect : 0) + 0.1 * unit;
      arms[isTreated ? "treatment" : "control"].push([score, user, unit]);
      carried = isTreated ? left : 0;
    }
  }
  const of = (rows: readonly number[][]): DatedScores => {
    const column = (at: number) => Float64Array.from(rows.toReversed(), (row) => row[at]!);
    return { scores: column(0), clusters: column(1), startedAt: column(2) };
  };
  return { control: of(arms.control), treatment: of(arms.treatment) };
}

const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
const effectOf = ({ control, treatment }: Stratum<DatedScores>) =>
  mean(treatment.scores) - mean(control.scores);

const alike = ({ control, treatment }: Stratum<DatedScores>): Stratum<DatedScores> => ({
  control: { ...control, scores: control.scores.map(() => 1) },
  treatment: { ...treatment, scores: treatment.scores.map(() => 1) },
});

describe("what earlier units leave behind", () => {
  test("the effect in first units is the difference of their means", () => {
    const data = draw({ seed: 1 });
    const firstOf = ({ scores, startedAt }: DatedScores) => scores.filter((_, i) => startedAt[i] === 0);
    const [control, treatment] = [firstOf(data.control), firstOf(data.treatment)];
    const found = carryOver([data], effectOf(data))!;
    expect(found.effect).toBeCloseTo(mean(treatment) - mean(control), 12);
    expect(found.units).toEqual({ control: control.length, treatment: treatment.length });
    expect(control.length + treatment.length).toBe(300);
    expect(found.ciLow).toBeLessThan(found.effect);
    expect(found.ciHigh - found.effect).toBeCloseTo(found.effect - found.ciLow, 12);
  });

  test("is rarely seen where there is none, with levels and trends of users", () => {
    const found = Array.from({ length: 400 }, (_, seed) => draw({ users: 60, seed: seed + 10 })).map(
      (data) => carryOver([data], effectOf(data))!,
    );
    for (const of of ["pValue", "earlierPValue"] as const) {
      const share = found.filter((one) => one[of] < 0.05).length / found.length;
      expect([of, share > 0.02 && share < 0.095]).toEqual([of, true]);
      const half = found.filter((one) => one[of] < 0.5).length / found.length;
      expect([of, half > 0.42 && half < 0.58]).toEqual([of, true]);
    }
    const covered = found.filter(({ ciLow, ciHigh }) => ciLow < 0.3 && 0.3 < ciHigh).length / found.length;
    expect(covered).toBeGreaterThan(0.92);
  });

  test("is found where there is some", () => {
    const data = draw({ users: 600, left: 0.4, seed: 2 });
    const found = carryOver([data], effectOf(data))!;
    expect(found.earlierEffect).toBeGreaterThan(0.3);
    expect(found.earlierEffect).toBeLessThan(0.5);
    expect(found.earlierPValue).toBeLessThan(1e-6);
  });

  test("over strata, a unit before may be in another one", () => {
    const [early, late] = [draw({ units: 2, seed: 3 }), draw({ units: 1, seed: 4 })];
    const after = (arm: DatedScores) => ({ ...arm, startedAt: arm.startedAt.map((at) => at + 9) });
    const strata = [early, { control: after(late.control), treatment: after(late.treatment) }];
    const found = carryOver(strata, effectOf(early))!;
    // All first units are in the earlier stratum.
    expect(found.units.control + found.units.treatment).toBe(300);
    const alone = carryOver([early], effectOf(early))!;
    expect(found.effect).toBeCloseTo(alone.effect, 12);
    // The later stratum's units come after one of the earlier stratum.
    expect(found.earlierEffect).not.toBe(alone.earlierEffect);
  });

  test.each([
    ["users with one unit each", draw({ units: 1, seed: 6 })],
    ["two users", draw({ users: 2, units: 2, seed: 7 })],
    ["units that are all alike", alike(draw({ units: 3, seed: 8 }))],
  ])("cannot be told of %s", (_, data) => expect(carryOver([data], 0)).toBeNull());

  test("cannot be told without a spread", () => {
    const { control, treatment } = draw({ seed: 8 });
    const constant = (arm: DatedScores) => ({ ...arm, scores: arm.scores.map(() => 1) });
    expect(carryOver([{ control: constant(control), treatment: constant(treatment) }], 0)).toBeNull();
  });
});
