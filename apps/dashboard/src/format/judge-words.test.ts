import { expect, test } from "vitest";
import type { MetricResult } from "../api/types.ts";
import { judgeInWords, judgeMarkInWords } from "./judge-words.ts";

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
  const mark = judgeMarkInWords({ judge, control: "a", treatment: "b" });
  expect(mark?.word.replaceAll("\u00a0", " ")).toBe(word);
  expect(mark?.meaning).toMatch(meaning);
});

test("a row without a judge has no mark", () => {
  expect(judgeMarkInWords({ judge: null, control: "a", treatment: "b" })).toBeNull();
});
