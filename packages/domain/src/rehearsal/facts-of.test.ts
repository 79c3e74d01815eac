import { expect, test } from "vitest";
import type { RehearsalInput, RehearsalPick, RehearsalRecord } from "../ports/rehearsals.ts";
import { planOf, scorePlan } from "../test-support/rehearsals.ts";
import { rehearsalFacts } from "./facts-of.ts";

const inputOf = (place: number, userId: string | null): RehearsalInput => ({
  ...{ place, itemId: `i${place}`, position: place, userId, probability: 0.5, characters: 1 },
});
const recordOf = (of: Partial<RehearsalRecord>): RehearsalRecord => ({
  ...{ place: 0, kind: "answer", arm: 0, repeat: 0, first: null, state: "done", attempts: 1 },
  ...{ length: null, preference: null, score: null, latencyMs: null },
  ...{ inputTokens: null, outputTokens: null, costUsd: null },
  ...of,
});
const failed = { state: "failed" } as const;
const judgement = { kind: "judgement", arm: 1, first: "control" } as const;

test("inputs of one user are one cluster, and others stand alone", () => {
  const inputs = ["ann", null, "ann", null, "bob"].map((userId, place) => inputOf(place, userId));
  const { items } = rehearsalFacts({ plan: planOf() }, { inputs, records: [], picks: [] });
  expect(items.map(({ cluster }) => cluster)).toEqual([0, 1, 0, 3, 4]);
  expect(items[0]).toEqual({ id: "i0", cluster: 0, probability: 0.5 });
});

test("answers and judgements name their input and arm; those of an erased input are left out", () => {
  const measured = { latencyMs: 5, inputTokens: 2, outputTokens: 3, costUsd: 4, length: 6 };
  const records = [
    recordOf(measured),
    recordOf({ arm: 1, repeat: 1, ...failed }),
    recordOf({ ...judgement, preference: "treatment" }),
    recordOf({ ...judgement, arm: 2, ...failed }),
    recordOf({ ...judgement, arm: 2, first: "treatment", ...failed }),
    ...(["control", "treatment"] as const).map((first) =>
      recordOf({ ...judgement, arm: 2, repeat: 1, first, preference: "tie", attempts: 0 }),
    ),
    recordOf({ place: 9 }),
    recordOf({ arm: 7 }),
  ];
  const pickOf = (place: number): RehearsalPick => ({
    ...{ place, arm: 1, repeat: 0, preference: "control" },
    ...{ pickedBy: "p", pickedByName: "P", pickedAt: 1 },
  });
  const known = { inputs: [inputOf(0, "ann")], records, picks: [pickOf(0), pickOf(9)] };
  expect(rehearsalFacts({ plan: planOf() }, known)).toMatchObject({
    answers: [
      { itemId: "i0", arm: "control", repeat: 0, hasFailed: false, ...measured },
      { arm: "a", repeat: 1, hasFailed: true, latencyMs: null },
      { arm: "" },
    ],
    judgements: [
      { itemId: "i0", treatment: "a", repeat: 0, first: "control", preference: "treatment" },
      { treatment: "b", repeat: 1, first: "control", preference: "tie" },
      { treatment: "b", repeat: 1, first: "treatment", preference: "tie" },
    ],
    unjudged: [{ itemId: "i0", arm: "b", repeat: 0 }],
    same: [{ itemId: "i0", arm: "b", repeat: 1 }],
    ...{ scores: [], picks: [{ itemId: "i0", treatment: "a", repeat: 0, preference: "control" }] },
  });
});

test("a failed answer has the smallest score", () => {
  const records = [
    recordOf({}),
    recordOf({ arm: 1, ...failed }),
    recordOf({ kind: "score", score: 4 }),
    recordOf({ kind: "score", arm: 2, ...failed }),
  ];
  const { scores, judgements, unjudged } = rehearsalFacts(
    { plan: scorePlan() },
    { inputs: [inputOf(0, null)], records, picks: [] },
  );
  expect(scores).toEqual([
    { itemId: "i0", arm: "a", repeat: 0, score: 1 },
    { itemId: "i0", arm: "control", repeat: 0, score: 4 },
  ]);
  expect([judgements, unjudged]).toEqual([[], [{ itemId: "i0", arm: "b", repeat: 0 }]]);
});
