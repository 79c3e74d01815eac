import { describe, expect, test } from "vitest";
import { planOf, scorePlan } from "../test-support/rehearsals.ts";
import { answersOf, judgedArms, judgementsAfter, preferenceOf, stepOf } from "./requests.ts";

const judgement = (arm: number, first: "control" | "treatment", repeat = 0) =>
  ({ kind: "judgement", arm, repeat, first }) as const;

test("all arms answer an input before any answers it again", () => {
  const answers = answersOf(planOf({ repeats: 2 }));
  expect(answers.map(({ arm, repeat }) => [arm, repeat])).toEqual([
    ...[0, 1, 2].map((arm) => [arm, 0]),
    ...[0, 1, 2].map((arm) => [arm, 1]),
  ]);
});

test.each([
  ["answer", []],
  ["score", [2]],
  ["judgement", [0, 2]],
] as const)("a request of the kind %s shows the judge the answers of the arms %j", (kind, arms) => {
  expect(judgedArms({ kind, arm: 2 })).toEqual(arms);
});

describe("an answer makes possible", () => {
  test.each([
    { what: "nothing without control", arm: 1, answered: [1, 2], next: [] },
    { what: "nothing by control alone", arm: 0, answered: [0], next: [] },
    {
      what: "its own pair once control has answered",
      arm: 2,
      answered: [0, 1, 2],
      next: [judgement(2, "control"), judgement(2, "treatment")],
    },
    {
      what: "a pair with each treatment when control comes last",
      arm: 0,
      answered: [1, 2, 0],
      next: [1, 2].flatMap((arm) => [judgement(arm, "control"), judgement(arm, "treatment")]),
    },
  ])("$what", ({ arm, answered, next }) => {
    expect(judgementsAfter(planOf(), { arm, repeat: 0 }, answered)).toEqual(next);
  });

  test("its score, in mode score", () => {
    expect(judgementsAfter(scorePlan(), { arm: 2, repeat: 1 }, [2])).toEqual([
      { kind: "score", arm: 2, repeat: 1, first: null },
    ]);
  });
});

test.each([
  { plan: planOf({ repeats: 2 }), requests: 2 * (3 + 4) },
  { plan: scorePlan({ repeats: 2 }), requests: 2 * (3 + 3) },
])("every request of an input has a number of its own: $requests", ({ plan, requests }) => {
  const answers = answersOf(plan);
  const all = [
    ...answers,
    ...answers.flatMap((answer) =>
      judgementsAfter(plan, answer, answer.arm === 0 ? [0, 1, 2] : [answer.arm]),
    ),
  ];
  expect(all).toHaveLength(requests);
  expect(new Set(all.map((request) => stepOf(plan, request))).size).toBe(requests);
  expect(answers.map((request) => stepOf(plan, request))).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([
  { better: "first", first: "control", preference: "control" },
  { better: "second", first: "control", preference: "treatment" },
  { better: "first", first: "treatment", preference: "treatment" },
  { better: "second", first: "treatment", preference: "control" },
  { better: "tie", first: "control", preference: "tie" },
] as const)("$better is $preference when $first came first", ({ better, first, preference }) => {
  expect(preferenceOf(better, first)).toBe(preference);
});
