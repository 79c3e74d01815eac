import { describe, expect, test } from "vitest";
import { inNight } from "../../../../tests/in-night.ts";
import { createUniform } from "../random.ts";
import { ppiDifference, type ScoredUnit } from "./ppi.ts";
import { widenForRareLabels } from "./rare-labels.ts";

interface Arm {
  readonly passes: number;
  readonly right: number;
  readonly labels: number;
  readonly users?: number;
  readonly weight?: (user: number) => number;
}

function armOf(
  uniform: () => number,
  { passes, right, labels, users = 600, weight = () => 1 }: Arm,
): ScoredUnit[] {
  return Array.from({ length: users }, (_, cluster) => {
    const isGood = uniform() < passes;
    const score = Number(uniform() < right === isGood);
    return { cluster, weight: weight(cluster), score, label: cluster < labels ? Number(isGood) : null };
  });
}

function compare(seed: number, control: Arm, treatment = control) {
  const uniform = createUniform(seed);
  const arms = { control: armOf(uniform, control), treatment: armOf(uniform, treatment) };
  const ppi = ppiDifference(arms)!;
  return { ppi, ...widenForRareLabels(arms, ppi) };
}

describe("labels with a rare kind", () => {
  test.each([
    { name: "few fail", arm: { passes: 0.96, right: 0.9, labels: 60 } },
    { name: "few pass", arm: { passes: 0.04, right: 0.9, labels: 60 } },
    { name: "few differ from the judge", arm: { passes: 0.6, right: 0.98, labels: 60 } },
    { name: "every call has a label", arm: { passes: 0.96, right: 0.9, labels: 60, users: 60 } },
  ])("widen the interval: $name", ({ arm }) => {
    const { ppi, ciLow, ciHigh } = compare(3, arm);
    expect(ciLow).toBeLessThan(ppi.ciLow!);
    expect(ciHigh).toBeGreaterThan(ppi.ciHigh!);
  });

  test("of unequal weight widen it more", () => {
    const arm = { passes: 0.96, right: 0.9, labels: 60 };
    const width = (weight: (user: number) => number) => {
      const { ciLow, ciHigh } = compare(4, { ...arm, weight });
      return ciHigh! - ciLow!;
    };
    expect(width((user) => (user % 5 === 0 ? 6 : 1))).toBeGreaterThan(width(() => 1));
  });

  test("that all agree still allow what zero disagreements among them allow", () => {
    const { ciLow, ciHigh, ppi } = compare(5, { passes: 1, right: 0.9, labels: 50 });
    expect(ppi.effect).toBe(0);
    // Each arm alone: 1 − .025^(1 / 50).
    expect(ciLow).toBeLessThan(-(1 - 0.025 ** (1 / 50)));
    expect(ciHigh).toBeCloseTo(-ciLow!, 6);
  });

  test("hold the truth in 97.5 % of the experiments on the losing side", () => {
    let wrong = 0;
    for (let k = 0; k < inNight(80, 200); k++) {
      const { ciLow } = compare(
        100 + k,
        { passes: 0.97, right: 0.95, labels: 50 },
        { passes: 0.95, right: 0.95, labels: 50 },
      );
      wrong += Number(ciLow! > -0.02);
    }
    expect(wrong).toBeLessThanOrEqual(5);
  });
});

test.each([{ name: "many of each kind", arm: { passes: 0.6, right: 0.8, labels: 200 } }])(
  "$name keep their interval",
  ({ arm }) => {
    const { ppi, ciLow, ciHigh } = compare(6, arm);
    expect([ciLow, ciHigh]).toEqual([ppi.ciLow, ppi.ciHigh]);
  },
);

test("grades keep their interval", () => {
  const graded = (seed: number) => {
    const uniform = createUniform(seed);
    return armOf(uniform, { passes: 0.96, right: 0.9, labels: 60 }).map((unit) => ({
      ...unit,
      score: unit.score / 2,
    }));
  };
  const labelled = (seed: number) => {
    const uniform = createUniform(seed);
    return armOf(uniform, { passes: 0.96, right: 0.9, labels: 60 }).map((unit) => ({
      ...unit,
      label: unit.label && unit.label / 2,
    }));
  };
  for (const arm of [graded, labelled]) {
    const arms = { control: arm(1), treatment: arm(2) };
    const ppi = ppiDifference(arms)!;
    expect(widenForRareLabels(arms, ppi)).toEqual({ ciLow: ppi.ciLow, ciHigh: ppi.ciHigh });
  }
});

describe("with ten labels of every kind the interval is unchanged:", () => {
  /** 60 labels, with the given numbers of fails and of differences from the score, and 40 scores without a label. */
  function units({ failed, wrong }: { readonly failed: number; readonly wrong: number }): ScoredUnit[] {
    return Array.from({ length: 100 }, (_, cluster) => {
      const label = cluster < failed ? 0 : 1;
      const isWrong = cluster >= 60 - wrong;
      return { cluster, weight: 1, score: isWrong ? 1 - label : label, label: cluster < 60 ? label : null };
    });
  }
  const common = { failed: 20, wrong: 20 };
  test.each([
    { arm: common, isKept: true },
    { arm: { failed: 10, wrong: 20 }, isKept: true },
    { arm: { failed: 9, wrong: 20 }, isKept: false },
    { arm: { failed: 50, wrong: 20 }, isKept: true },
    { arm: { failed: 51, wrong: 20 }, isKept: false },
    { arm: { failed: 20, wrong: 10 }, isKept: true },
    { arm: { failed: 20, wrong: 9 }, isKept: false },
  ])("$arm: $isKept", ({ arm, isKept }) => {
    for (const arms of [
      { control: units(arm), treatment: units(common) },
      { control: units(common), treatment: units(arm) },
    ]) {
      const ppi = ppiDifference(arms)!;
      const { ciLow, ciHigh } = widenForRareLabels(arms, ppi);
      expect(ciLow === ppi.ciLow && ciHigh === ppi.ciHigh).toBe(isKept);
    }
  });
});
