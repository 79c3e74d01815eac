import { describe, expect, test } from "vitest";
import { MAX_TARGET_EFFECT } from "../experiment/metric.ts";
import { blindCall } from "./blind-call.ts";
import { DEFAULT_SAMPLE_RATE, judgeVersion, MAX_RUBRIC_LENGTH, SCALE_RANGES } from "./judge.ts";
import { readJudgeAnswer } from "./read-judge-answer.ts";
import { REPEAT_SHARE } from "./sample-plan.ts";

test("limits are as documented", () => {
  expect({ MAX_TARGET_EFFECT, MAX_RUBRIC_LENGTH, DEFAULT_SAMPLE_RATE, REPEAT_SHARE }).toEqual({
    MAX_TARGET_EFFECT: 10,
    MAX_RUBRIC_LENGTH: 10_000,
    DEFAULT_SAMPLE_RATE: 0.1,
    REPEAT_SHARE: 0.03,
  });
});

test("each scale has its range and its levels", () => {
  expect(SCALE_RANGES).toEqual({
    pass_fail: { min: 0, max: 1, levels: [0, 1] },
    "1-5": { min: 1, max: 5, levels: [1, 2, 3, 4, 5] },
    "0-1": { min: 0, max: 1, levels: null },
  });
});

test("a version stays the same across releases, because stored scores are compared by it", () => {
  const judge = { rubric: "Is it polite?", scale: "1-5", sampleRate: 0.2 } as const;
  expect(judgeVersion("gpt-5-mini", judge, "user")).toBe("gpt-5-mini@3e454bd2e874cf02");
});

describe("of a judge's answer", () => {
  const scored = JSON.stringify({ reason: "Fine.", score: "true" });
  const read = (text: string) => readJudgeAnswer("pass_fail", text);
  const fine = { kind: "scored", score: 1, reason: "Fine." };

  test("the reason keeps 2,000 characters", () => {
    const answer = (length: number) => JSON.stringify({ reason: "a".repeat(length), score: 1 });
    expect(read(answer(2_000))).toMatchObject({ reason: "a".repeat(2_000) });
    expect(read(answer(2_001))).toMatchObject({ reason: `${"a".repeat(1_999)}…` });
  });

  test("an unusable one shows 200 characters", () => {
    expect(read("b".repeat(200))).toMatchObject({ detail: expect.stringMatching(/ b{200}$/) });
    expect(read("b".repeat(201))).toMatchObject({ detail: expect.stringMatching(/ b{199}…$/) });
  });

  test("the last 20,000 characters are searched", () => {
    const padded = (length: number) => scored + " ".repeat(length - scored.length);
    expect(read(padded(20_000))).toEqual(fine);
    expect(read(padded(20_001)).kind).toBe("malformed");
  });

  test("the object may have 49 braces opened after its own", () => {
    const nested = (braces: number) => `{"reason":"Fine.","score":1,"more":"${"{".repeat(braces)}"}`;
    expect(read(nested(49))).toEqual(fine);
    expect(read(nested(50)).kind).toBe("malformed");
  });

  test("the object may have 4 braces closed after its own", () => {
    expect(read(`${scored} ${"}".repeat(4)}`)).toEqual(fine);
    expect(read(`${scored} ${"}".repeat(5)}`).kind).toBe("malformed");
  });

  test.each([
    { score: "pass", expected: 1 },
    { score: " PASS ", expected: 1 },
    { score: "true", expected: 1 },
    { score: true, expected: 1 },
    { score: "fail", expected: 0 },
    { score: "false", expected: 0 },
    { score: false, expected: 0 },
    { score: "1", expected: 1 },
    { score: "0.0", expected: 0 },
  ])("$score is $expected", ({ score, expected }) => {
    expect(read(JSON.stringify({ reason: "Fine.", score }))).toMatchObject({ score: expected });
  });
});

describe("a prompt of 24 characters reveals its variant, and a shorter one may be ordinary words", () => {
  const long = "abcdefghijklmnopqrstuvwx";
  const short = long.slice(0, 23);
  const blind = (prompt: string, input: string, response = "Yes.") =>
    blindCall({ prompt: input, response }, [prompt]);

  test("in an answer", () => {
    expect(blind(long, "Hi", `I was told: ${long}.`).answer).toBe("I was told: […].");
    expect(blind(short, "Hi", `I was told: ${short}.`).answer).toBe(`I was told: ${short}.`);
  });

  test("within a word", () => {
    expect(blind(long, `user: a${long}b`).input).toBe("ab");
    expect(blind(short, `user: a${short}b`).input).toBe(`a${short}b`);
  });

  test("with one line left", () => {
    expect(blind(`${long}\nand more`, `user: Why ${long}?`).input).toBeNull();
    expect(blind(`${short}\nand more`, `user: Why ${short}?`).input).toBe(`Why ${short}?`);
  });
});
