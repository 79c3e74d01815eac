import { expect, test } from "vitest";
import type { MetricResult } from "../api/types.ts";
import { judgeInWords, judgeMarkInWords, meanScoreInWords, scaleOf, scoreInWords } from "./judge-words.ts";

test.each([
  [{ rubric: "r" }, "pass or fail, 10% of the calls"],
  [{ rubric: "r", scale: "1-5", sample_rate: 0.025 }, "1 to 5, 2.5% of the calls"],
] as const)("judgeInWords of %j: %s", (judge, words) => {
  expect(judgeInWords(judge).replaceAll("\u00a0", " ")).toBe(words);
});

test.each([
  {
    name: "corrected by labels",
    labels: { a: 60, b: 61, c: 9 },
    calibrated: true,
    word: "calibrated with 121 labels",
    meaning: /labels \(a 60, b 61\) correct/,
  },
  {
    name: "with too few labels",
    labels: { a: 60 },
    calibrated: false,
    word: "judge opinion",
    meaning: /50 labels per variant would correct it. So far: a 60, b 0\./,
  },
  {
    name: "that labels do not correct",
    labels: { a: 60, b: 50 },
    calibrated: false,
    word: "judge opinion",
    meaning: /of another kind or has another test/,
  },
])("the mark of a row $name", ({ labels, calibrated, word, meaning }) => {
  const judge = { calibrated, labels_per_arm: labels } as unknown as MetricResult["judge"];
  const mark = judgeMarkInWords([{ judge, control: "a", treatment: "b" }]);
  expect(mark?.word.replaceAll("\u00a0", " ")).toBe(word);
  expect(mark?.meaning).toMatch(meaning);
});

test.each([
  {
    name: "all are corrected",
    calibrated: [true, true],
    word: "calibrated with 180 labels",
    meaning: "People's labels (a 60, b 61, c 59) correct the judge's scores.",
  },
  {
    name: "one is not",
    calibrated: [true, false],
    word: "judge opinion for c",
    meaning:
      "The judge's scores for c, uncorrected. 50 labels per variant would correct it. So far: a 60, b 61, c 9.",
  },
  {
    name: "none is",
    calibrated: [false, false],
    word: "judge opinion",
    meaning:
      "The judge's scores, uncorrected. 50 labels per variant would correct it. So far: a 60, b 1, c 9.",
  },
])("the mark of a metric with two treatments, where $name", ({ calibrated, word, meaning }) => {
  const labels = { a: 60, b: calibrated[0] ? 61 : 1, c: calibrated[1] ? 59 : 9 };
  const rows = ["b", "c"].map((treatment, i) => ({
    ...{ control: "a", treatment },
    judge: { calibrated: calibrated[i], labels_per_arm: labels } as unknown as MetricResult["judge"],
  }));
  const mark = judgeMarkInWords(rows);
  expect(mark?.word.replaceAll("\u00a0", " ")).toBe(word);
  expect(mark?.meaning).toBe(meaning);
});

test("a row without a judge has no mark", () => {
  expect(judgeMarkInWords([{ judge: null, control: "a", treatment: "b" }])).toBeNull();
});

test.each([
  { scale: "pass_fail", score: 1, words: "pass" },
  { scale: "pass_fail", score: 0, words: "fail" },
  { scale: "1-5", score: 4, words: "4 of 5" },
  { scale: "0-1", score: 0.7, words: "0.70" },
  { scale: null, score: 0.25, words: "0.25" },
] as const)("writes $score on the scale $scale as $words", ({ scale, score, words }) =>
  expect(scoreInWords(scale, score)).toBe(words),
);

test.each([
  { scale: "pass_fail", mean: 0.8125, words: "81.3%" },
  { scale: "1-5", mean: 3.456, words: "3.46" },
] as const)("writes the mean $mean on the scale $scale as $words", ({ scale, mean, words }) =>
  expect(meanScoreInWords(scale, mean).replace("\u00a0", " ")).toBe(words),
);

test("a judge without a scale passes or fails", () => {
  expect(scaleOf({})).toBe("pass_fail");
  expect(scaleOf(null)).toBe("pass_fail");
  expect(scaleOf({ scale: "1-5" })).toBe("1-5");
});
