import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_REASON_LENGTH, readJudgeAnswer } from "./read-judge-answer.ts";

const scored = (score: number, reason = "Fine.") => ({ kind: "scored", score, reason });

describe("reads", () => {
  test.each([
    { name: "an object", text: '{"reason":"Fine.","score":"pass"}', score: 1 },
    { name: "a fail", text: '{"reason":"Fine.","score":"Fail"}', score: 0 },
    { name: "a number instead of a word", text: '{"reason":"Fine.","score":1}', score: 1 },
    { name: "a boolean instead of a word", text: '{"reason":"Fine.","score":false}', score: 0 },
    { name: "a code fence", text: '```json\n{"reason":"Fine.","score":"pass"}\n```', score: 1 },
    { name: "text around it", text: 'Sure: {"reason":"Fine.","score":"pass"} :} done', score: 1 },
    {
      name: "the last one, after thoughts",
      text: '<think>{"reason":"No.","score":"fail"} or {x}</think>{"reason":"Fine.","score":"pass"}',
      score: 1,
    },
    {
      name: "additional fields",
      text: '{"a":{"b":1},"reason":"Fine.","score":"pass","c":{}}',
      score: 1,
    },
    {
      name: "an object without a score after it",
      text: '{"reason":"Fine.","score":"pass"} {"a":1}',
      score: 1,
    },
  ])("$name", ({ text, score }) => expect(readJudgeAnswer("pass_fail", text)).toEqual(scored(score)));

  test.each([
    { scale: "1-5", value: 4, score: 4 },
    { scale: "1-5", value: "5", score: 5 },
    { scale: "0-1", value: 0.25, score: 0.25 },
    { scale: "0-1", value: " 0.5 ", score: 0.5 },
  ] as const)("$value on $scale", ({ scale, value, score }) => {
    expect(readJudgeAnswer(scale, JSON.stringify({ reason: "Fine.", score: value }))).toEqual(scored(score));
  });

  test("a reason with braces", () => {
    const reason = 'It says {"score": 5} and {x} "}';
    expect(readJudgeAnswer("1-5", JSON.stringify({ reason, score: 2 }))).toEqual(scored(2, reason));
  });
});

describe("rejects as malformed", () => {
  test.each([
    { name: "nothing", scale: "pass_fail", text: " ", detail: /it is empty/ },
    {
      name: "prose",
      scale: "pass_fail",
      text: "I would pass it.",
      detail: /no JSON object .*I would pass it/,
    },
    { name: "a cut object", scale: "1-5", text: '{"reason":"Fine.","sco', detail: /no JSON object/ },
    { name: "a bare number", scale: "1-5", text: "4", detail: /no JSON object/ },
    { name: "a list", scale: "1-5", text: "[4]}", detail: /no JSON object/ },
    {
      name: "a score below",
      scale: "1-5",
      text: '{"reason":"x","score":0}',
      detail: /0 is not a score on the scale 1-5/,
    },
    {
      name: "a score between",
      scale: "1-5",
      text: '{"reason":"x","score":4.5}',
      detail: /4.5 is not a score/,
    },
    {
      name: "a score above",
      scale: "0-1",
      text: '{"reason":"x","score":1.01}',
      detail: /1.01 is not a score/,
    },
    {
      name: "a word on a scale of numbers",
      scale: "0-1",
      text: '{"reason":"x","score":"pass"}',
      detail: /"pass" is no/,
    },
    {
      name: "another word",
      scale: "pass_fail",
      text: '{"reason":"x","score":"maybe"}',
      detail: /"maybe" is no/,
    },
    { name: "null", scale: "pass_fail", text: '{"reason":"x","score":null}', detail: /null is not a score/ },
    { name: "no reason", scale: "pass_fail", text: '{"score":"pass"}', detail: /no reason/ },
    {
      name: "a blank reason",
      scale: "pass_fail",
      text: '{"reason":" ","score":"pass"}',
      detail: /no reason/,
    },
  ] as const)("$name", ({ scale, text, detail }) => {
    expect(readJudgeAnswer(scale, text)).toEqual({
      kind: "malformed",
      detail: expect.stringMatching(detail),
    });
  });
});

test("a long reason is cut between characters", () => {
  const read = (reason: string) => readJudgeAnswer("1-5", JSON.stringify({ reason, score: 3 }));
  expect(read("a".repeat(MAX_REASON_LENGTH))).toEqual(scored(3, "a".repeat(MAX_REASON_LENGTH)));
  expect(read("a".repeat(MAX_REASON_LENGTH + 1))).toEqual(scored(3, `${"a".repeat(MAX_REASON_LENGTH - 1)}…`));
  expect(read("😀".repeat(MAX_REASON_LENGTH))).toEqual(
    scored(3, `${"😀".repeat(MAX_REASON_LENGTH / 2 - 1)}…`),
  );
});

test("every score that a judge writes as instructed is read back, whatever its reason says", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (text, score) => {
      const reason = `${text}.`.trim();
      expect(readJudgeAnswer("0-1", JSON.stringify({ reason, score }))).toEqual(
        scored(score === 0 ? 0 : score, reason),
      );
    }),
  );
});

test.each(["{", "}", '{"', "{}", '{"score":'])("ends quickly on a long answer of %s", (text) => {
  expect(readJudgeAnswer("0-1", text.repeat(100_000)).kind).toBe("malformed");
});
