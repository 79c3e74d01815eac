import { expect, test } from "vitest";
import { meanScoreInWords, scaleOf, scoreInWords } from "./scores.ts";

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
