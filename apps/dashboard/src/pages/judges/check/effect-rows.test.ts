import { expect, test } from "vitest";
import type { MetricResult } from "../../../api/types.ts";
import { effectRows, effectSentence, retestSentence } from "./effect-rows.ts";

type JudgeMark = NonNullable<MetricResult["judge"]>;

const MARK: JudgeMark = {
  version: "model@0",
  scale: "pass_fail",
  judged_per_arm: { control: 400, concise: 400 },
  labels_per_arm: { control: 12, concise: 8 },
  probability_low: 0.1,
  probability_high: 1,
  retest_sd: null,
  calibrated: false,
  lambda: null,
  uncalibrated: null,
};
const CALIBRATED: JudgeMark = {
  ...MARK,
  labels_per_arm: { control: 60, concise: 60 },
  calibrated: true,
  lambda: { control: 0.8, concise: 0.7 },
  uncalibrated: {
    test: "welch_t",
    p_value: 0.01,
    control_value: 0.8,
    treatment_value: 0.76,
    effect: -0.04,
    ci_low: -0.06,
    ci_high: -0.02,
  },
};
const write = (value: number) => value.toFixed(2);
const ROW = { effect: -0.01, ci_low: -0.05, ci_high: 0.03, test: "ppi_z" };
const rowOf = (judge: JudgeMark) => ({ ...ROW, judge }) as MetricResult;

test("without enough labels there is the judge alone, called an opinion", () => {
  expect(effectRows(rowOf(MARK)).map(({ name, effect }) => [name, effect])).toEqual([["Judge alone", -0.01]]);
  expect(effectSentence(rowOf(MARK), write)).toBe(
    "Judge opinion: the variant with the fewest labels has 8 of the 50 needed to correct it.",
  );
  expect(effectSentence(rowOf({ ...MARK, labels_per_arm: { a: 50, b: 60 } }), write)).toBe(
    "Judge opinion: labels correct only averages with the default test.",
  );
  expect(effectSentence(rowOf({ ...MARK, labels_per_arm: {} }), write)).toBe(
    "Judge opinion: a variant has no labels.",
  );
});

test("a corrected effect stands below the judge's own", () => {
  expect(effectRows(rowOf(CALIBRATED))).toEqual([
    { name: "Judge alone", effect: -0.04, ciLow: -0.06, ciHigh: -0.02, test: "welch_t" },
    { name: "Corrected by labels", effect: -0.01, ciLow: -0.05, ciHigh: 0.03, test: "ppi_z" },
  ]);
  expect(effectSentence(rowOf(CALIBRATED), write)).toBe("120 labels move the effect up by 0.03.");
});

test("labels may leave the effect unchanged", () =>
  expect(effectSentence({ judge: CALIBRATED, effect: -0.04 }, write)).toBe(
    "120 labels do not change the effect.",
  ));

test("scores of the same answer differ by noise, or not at all", () => {
  expect(retestSentence(0.21)).toContain("a standard deviation of 0.21. This noise hides small effects.");
  expect(retestSentence(0)).toBe("Answers that were judged twice got the same score both times.");
});
