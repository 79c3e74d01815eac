import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnsweredCall, compareAnswers } from "./compare-answers.ts";
import { isSameQuestion } from "./words.ts";

const VARIANTS = ["a", "b"];
let count = 0;
const call = (variant: string, question: string, more: Partial<AnsweredCall> = {}): AnsweredCall => {
  count += 1;
  return { eventId: `e${count}`, occurredAt: count, variant, question, answer: "yes", ...more };
};
const compared = (calls: readonly AnsweredCall[], rank = (_: AnsweredCall) => 0) =>
  compareAnswers(calls, { variants: VARIANTS, rank });
const idsOf = (calls: readonly AnsweredCall[], rank?: (call: AnsweredCall) => number) =>
  compared(calls, rank).map(({ answers }) => answers.map((answer) => answer.call.eventId));

describe("the same question", () => {
  test("is the same if its words are, and its answers are in the order of the variants", () => {
    const [b, a] = [call("b", "Can I pay?"), call("a", "can i PAY")];
    expect(compared([b, a])).toEqual([
      {
        ...{ question: "can i PAY", asked: 2, difference: 0 },
        answers: [
          { call: a, likeness: 1 },
          { call: b, likeness: 1 },
        ],
      },
    ]);
  });

  test("shows each variant's call with the highest rank, then the newest, then the first by id", () => {
    const [old, newer, b] = [call("a", "q"), call("a", "q"), call("b", "q")];
    expect(idsOf([old, newer, b])).toEqual([[newer.eventId, b.eventId]]);
    expect(idsOf([old, newer, b], (one) => Number(one === old))).toEqual([[old.eventId, b.eventId]]);
    const [x, y] = [
      call("a", "q", { eventId: "x", occurredAt: 1e9 }),
      call("a", "q", { eventId: "y", occurredAt: 1e9 }),
    ];
    expect(idsOf([y, b, x])).toEqual([["x", b.eventId]]);
    expect(idsOf([x, b, y])).toEqual([["x", b.eventId]]);
  });

  test("needs two variants; a question without words is not compared either", () => {
    expect(compared([call("a", "q"), call("a", "q"), call("z", "q")])).toEqual([]);
    expect(compared([call("a", "  "), call("b", "")])).toEqual([]);
  });

  test("comes first if asked most often; ties are sorted by words", () => {
    const calls = [..."a", ..."b"].flatMap((variant) => ["y", "x", "z"].map((q) => call(variant, q)));
    expect(compared([...calls, call("a", "z")]).map(({ question }) => question)).toEqual(["z", "x", "y"]);
  });
});

test("a variant without a similar question has no answer", () => {
  const both = VARIANTS.map((variant) => call(variant, "Can I pay?"));
  const [compared] = compareAnswers([...both, call("c", "Where?")], {
    variants: ["a", "b", "c"],
    rank: () => 0,
  });
  expect(compared!.answers.map((answer) => answer.call)).toEqual(both);
});

describe("the nearest question", () => {
  const long = "how do i invite a friend to my team";

  test("is used for a variant that was never asked the same one, if half of the words are in common", () => {
    const [a, b] = [call("a", long), call("b", `${long} today`)];
    expect(compared([a, b])).toEqual([
      {
        ...{ question: long, asked: 1, difference: 0 },
        answers: [
          { call: a, likeness: 1 },
          { call: b, likeness: 9 / 10 },
        ],
      },
    ]);
    expect(compared([call("a", "one two"), call("b", "two three four")])).toEqual([]);
    // One of two words: exactly half.
    expect(compared([call("a", "one two"), call("b", "two")])).toHaveLength(1);
  });

  test("is the most similar one; of equals, the one asked more often", () => {
    // Asked twice, so that this question is the one for which the nearest is searched.
    const twice = [call("a", long, { eventId: "old" }), call("a", long, { eventId: "q" })];
    const near = call("b", "how do i invite a friend to my team now");
    const far = call("b", "how do i invite a friend");
    expect(idsOf([...twice, far, near])).toEqual([["q", near.eventId]]);
    const [one, other] = [call("b", `${long} x`), call("b", `${long} y`)];
    expect(idsOf([...twice, other, one])).toEqual([["q", one.eventId]]);
    const again = call("b", `${long} y`);
    expect(idsOf([...twice, call("a", long), one, other, again])[0]).toEqual([
      expect.anything(),
      again.eventId,
    ]);
  });

  test("is shown once, unless every variant answered it", () => {
    const both = VARIANTS.map((variant) => call(variant, long));
    const alone = call("a", `${long} soon`);
    expect(idsOf([alone, call("a", `${long} later`), both[1]!])).toHaveLength(1);
    // What was the nearest of an earlier question is not compared once more by itself.
    const answers = [call("a", `${long} later`), call("a", `${long} soon`), call("b", `${long} zoo`)];
    expect(idsOf(answers)).toEqual([[answers[0]!.eventId, answers[2]!.eventId]]);
    expect(idsOf([...both, alone])).toEqual([
      both.map(({ eventId }) => eventId),
      [alone.eventId, both[1]!.eventId],
    ]);
  });

  test("is not searched by a word that a hundred questions contain", () => {
    const many = Array.from({ length: 101 }, (_, i) => call("b", `the ${i}`));
    expect(compared([call("a", "the"), ...many])).toEqual([]);
    expect(compared([call("a", "the"), ...many.slice(0, 99)])).toHaveLength(1);
  });
});

test("the same words in another order, or repeated, are a different but nearest question", () => {
  const [twice, once] = [call("a", "Why, why?"), call("b", "Why?")];
  expect(isSameQuestion(twice.question, once.question)).toBe(false);
  expect(compared([twice, once])[0]!.answers.map(({ likeness }) => likeness)).toEqual([1, 1]);
});

describe("the difference", () => {
  test.each([
    [["yes", "yes"], 0],
    [["yes", "no"], 1],
    [["a b", "b c"], 1 - 1 / 3],
    [["yes", null], null],
    [[null, null], null],
  ] as const)("of %j is %s", (answers, difference) => {
    const calls = answers.map((answer, i) => call(VARIANTS[i]!, "q", { answer }));
    expect(compared(calls)[0]!.difference).toBe(difference);
  });

  test("is the mean over all pairs", () => {
    const calls = ["no", "yes", "yes"].map((answer, i) => call("abc"[i]!, "q", { answer }));
    expect(compareAnswers(calls, { variants: ["a", "b", "c"], rank: () => 0 })[0]!.difference).toBeCloseTo(
      2 / 3,
      12,
    );
  });
});

test("every comparison has each variant once, and no answer appears twice among the same questions", () => {
  const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { minLength: 1, maxLength: 4 });
  const calls = fc.array(fc.record({ variant: fc.constantFrom("a", "b", "z"), words }), { maxLength: 40 });
  fc.assert(
    fc.property(calls, (drawn) => {
      const made = drawn.map((one) => call(one.variant, one.words.join(" ")));
      const exact = new Set<string>();
      for (const { answers, asked, question } of compared(made)) {
        expect(answers.map((answer) => answer.call.variant)).toEqual(VARIANTS);
        expect(asked).toBeGreaterThan(0);
        for (const answer of answers.filter((one) => isSameQuestion(one.call.question, question))) {
          expect(exact.has(answer.call.eventId)).toBe(false);
          exact.add(answer.call.eventId);
        }
      }
    }),
  );
});
