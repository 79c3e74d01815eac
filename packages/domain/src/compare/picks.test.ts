import { expect, test } from "vitest";
import { countPicks, type Pick, pickAgreement } from "./picks.ts";

const pick = (ids: string, best: string | null): Pick => ({
  ...{ orgId: "org", experimentId: "exp", id: ids },
  calls: [...ids].map((eventId) => ({ eventId, variant: eventId.toUpperCase(), userId: "u" })),
  ...{ best, pickedBy: "p", pickedByName: "P", pickedAt: 0 },
});

test("picks are counted by variant", () => {
  expect(countPicks([pick("ab", "a"), pick("abc", "c"), pick("ab", null)])).toEqual({
    variants: {
      A: { compared: 3, best: 1 },
      B: { compared: 3, best: 0 },
      C: { compared: 1, best: 1 },
    },
    same: 1,
  });
  expect(countPicks([])).toEqual({ variants: {}, same: 0 });
});

test.each([
  ["the judge scores the best answer higher", [pick("ab", "a")], { pairs: 1, agreed: 1, ties: 0 }],
  ["the judge scores it lower", [pick("ab", "b")], { pairs: 1, agreed: 0, ties: 0 }],
  ["each other answer is a pair", [pick("abc", "a")], { pairs: 1, agreed: 1, ties: 1 }],
  ["no best answer, no pair", [pick("ab", null)], { pairs: 0, agreed: 0, ties: 0 }],
  ["not scored, no pair", [pick("ax", "a"), pick("ax", "x")], { pairs: 0, agreed: 0, ties: 0 }],
])("%s", (_, picks, agreement) => {
  const scores = new Map([
    ["a", 0.9],
    ["b", 0.2],
    ["c", 0.9],
  ]);
  expect(pickAgreement(picks, scores)).toEqual(agreement);
});
