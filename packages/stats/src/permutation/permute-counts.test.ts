import { describe, expect, test } from "vitest";
import { fisherPValue } from "../methods/fisher-exact.ts";
import type { Stratum } from "../strata.ts";
import { permuteCounts, type ValueCounts } from "./permute-counts.ts";
import { permuteScores } from "./permute-scores.ts";

const OPTIONS = { permutations: 9_999, seed: 1 };

const binary = (failures: number, successes: number): ValueCounts =>
  new Map([
    [0, failures],
    [1, successes],
  ]);
const swap = ({ control, treatment }: Stratum<ValueCounts>) => ({ control: treatment, treatment: control });
const toScores = (counts: ValueCounts) =>
  Float64Array.from([...counts].flatMap(([value, count]) => new Array<number>(count).fill(value)));

const grades: Stratum<ValueCounts> = {
  control: new Map([
    [1, 300],
    [2, 500],
    [5, 200],
  ]),
  treatment: new Map([
    [5, 245],
    [2, 480],
    [1, 270],
    [9, 0],
    [3, 5],
  ]),
};

describe("permuteCounts", () => {
  test.each([
    { name: "equal arms", stratum: { control: binary(4, 2), treatment: binary(1, 5) } },
    { name: "unequal arms", stratum: { control: binary(3, 9), treatment: binary(4, 1) } },
    {
      name: "three values",
      stratum: { control: new Map([...binary(4, 3), [7, 1]]), treatment: binary(2, 5) },
    },
  ])("enumerates few users as scores would be: $name", ({ stratum }) => {
    const strata = [{ control: toScores(stratum.control), treatment: toScores(stratum.treatment) }];
    const outcome = permuteCounts([stratum], OPTIONS)!;
    const expected = permuteScores(strata, OPTIONS)!;
    expect(outcome.engine).toBe("enumeration");
    expect(outcome.pValue).toBe(expected.pValue);
    expect(outcome.statistic).toBeCloseTo(expected.statistic!, 12);
    expect(outcome.criticalValue).toBeCloseTo(expected.criticalValue!, 12);
  });

  test("agrees with Fisher's exact test on a balanced table, where both order the splits alike", () => {
    const outcome = permuteCounts([{ control: binary(480, 20), treatment: binary(466, 34) }], OPTIONS)!;
    const exact = fisherPValue({ n: 500, successes: 20 }, { n: 500, successes: 34 });
    const error = Math.sqrt((exact * (1 - exact)) / outcome.permutationsUsed);
    expect(Math.abs(outcome.pValue - exact)).toBeLessThan(4 * error);
  });

  test("gives difference and standard error of the values", () => {
    const outcome = permuteCounts([{ control: binary(90, 10), treatment: binary(150, 50) }], OPTIONS)!;
    expect(outcome.difference).toBeCloseTo(0.15, 14);
    expect(outcome.standardError).toBeCloseTo(Math.sqrt((0.1 * 0.9) / 99 + (0.25 * 0.75) / 199), 14);
  });

  test.each([
    { name: "one stratum", strata: [grades] },
    { name: "equal arms", strata: [{ control: binary(300, 40), treatment: binary(280, 60) }] },
    { name: "arms alike", strata: [{ control: binary(300, 40), treatment: binary(300, 40) }] },
    { name: "two strata", strata: [grades, { control: binary(300, 40), treatment: binary(80, 20) }] },
  ])("changes signs and nothing else when the arms are swapped: $name", ({ strata }) => {
    const outcome = permuteCounts(strata, OPTIONS)!;
    const swapped = permuteCounts(strata.map(swap), OPTIONS)!;
    expect({ ...swapped, difference: swapped.difference + 0, statistic: swapped.statistic! + 0 }).toEqual({
      ...outcome,
      difference: -outcome.difference + 0,
      statistic: -outcome.statistic! + 0,
    });
  });

  test("does not depend on the order of the values, nor on values that nobody has", () => {
    const reordered = new Map([...grades.treatment].toReversed().filter(([, count]) => count > 0));
    expect(permuteCounts([{ ...grades, treatment: reordered }], OPTIONS)).toEqual(
      permuteCounts([grades], OPTIONS),
    );
  });

  test("agrees with the test of scores with few values", () => {
    const strata = [{ control: toScores(grades.control), treatment: toScores(grades.treatment) }];
    const many = [
      {
        control: Float64Array.from({ length: 4000 }, (_, i) => strata[0]!.control[i % 1000]!),
        treatment: Float64Array.from({ length: 4000 }, (_, i) => strata[0]!.treatment[i % 1000]!),
      },
    ];
    const four = (counts: ValueCounts) => new Map([...counts].map(([value, count]) => [value, 4 * count]));
    const counts = [{ control: four(grades.control), treatment: four(grades.treatment) }];
    expect(permuteScores(many, OPTIONS)).toEqual(permuteCounts(counts, OPTIONS));
  });

  test.each([
    { name: "no strata", strata: [] },
    { name: "a single user in an arm", strata: [{ control: binary(1, 0), treatment: binary(3, 3) }] },
    { name: "one value", strata: [{ control: binary(5, 0), treatment: binary(9, 0) }] },
    {
      name: "a value that is no number",
      strata: [{ control: new Map([[Number.NaN, 5]]), treatment: binary(3, 3) }],
    },
  ])("has no outcome for $name", ({ strata }) => expect(permuteCounts(strata, OPTIONS)).toBeNull());
});
