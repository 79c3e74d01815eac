import { expect, test } from "vitest";
import { isScoreOf, judgeVersion, toJudge } from "./judge.ts";

const judge = { rubric: "Is it polite?", scale: "1-5", sampleRate: 0.2 } as const;

test.each([
  { scale: "pass_fail", scores: [0, 1], others: [0.5, -1, 2] },
  { scale: "1-5", scores: [1, 2, 3, 4, 5], others: [0, 2.5, 6] },
  { scale: "0-1", scores: [0, 0.123, 1], others: [-0.1, 1.1, Number.NaN] },
] as const)("$scale accepts its scores and no others", ({ scale, scores, others }) => {
  expect(scores.every((score) => isScoreOf(scale, score))).toBe(true);
  expect(others.some((score) => isScoreOf(scale, score))).toBe(false);
});

test.each([
  { name: "is read as it was stored", stored: judge, read: judge },
  {
    name: "from an earlier version gets the defaults",
    stored: { rubric: "x", scale: "1-10" },
    read: { rubric: "x", scale: "pass_fail", sampleRate: 0.1 },
  },
  { name: "without a rubric is null", stored: { scale: "1-5" }, read: null },
  { name: "with a blank rubric is null", stored: { rubric: " " }, read: null },
  { name: "that is not an object is null", stored: null, read: null },
])("a judge $name", ({ stored, read }) => expect(toJudge(stored)).toEqual(read));

test("the judge's version covers everything that determines a score, but not the rate", () => {
  const version = judgeVersion("gpt-5-mini", judge, "user");
  expect(version).toMatch(/^gpt-5-mini@[0-9a-f]{16}$/);
  expect(judgeVersion("gpt-5-mini", { ...judge, sampleRate: 1 }, "user")).toBe(version);
  const others = [
    judgeVersion("gpt-5", judge, "user"),
    judgeVersion("gpt-5-mini", { ...judge, rubric: "Is it rude?" }, "user"),
    judgeVersion("gpt-5-mini", { ...judge, scale: "0-1" }, "user"),
    judgeVersion("gpt-5-mini", judge, "conversation"),
    judgeVersion("gpt-5-mini", judge, "run"),
  ];
  expect(new Set([version, ...others]).size).toBe(6);
});
