import { expect, test } from "vitest";
import type { RehearsalInput, RehearsalRecord } from "../ports/rehearsals.ts";
import { planOf, scorePlan } from "../test-support/rehearsals.ts";
import { rehearsalFacts } from "./facts-of.ts";

const inputOf = (place: number, userId: string | null): RehearsalInput => ({
  ...{ place, itemId: `i${place}`, position: place, userId, probability: 0.5, characters: 1 },
});
const recordOf = (of: Partial<RehearsalRecord>): RehearsalRecord => ({
  ...{ place: 0, kind: "answer", arm: 0, repeat: 0, first: null, state: "done" },
  ...{ length: null, preference: null, score: null, latencyMs: null },
  ...{ inputTokens: null, outputTokens: null, costUsd: null },
  ...of,
});
const failed = { state: "failed" } as const;
const judgement = { kind: "judgement", arm: 1, first: "control" } as const;

test("inputs of one user are one cluster, and others stand alone", () => {
  const inputs = ["ann", null, "ann", null, "bob"].map((userId, place) => inputOf(place, userId));
  const { items } = rehearsalFacts({ plan: planOf() }, inputs, []);
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
    recordOf({ place: 9 }),
    recordOf({ arm: 7 }),
  ];
  expect(rehearsalFacts({ plan: planOf() }, [inputOf(0, "ann")], records)).toMatchObject({
    answers: [
      { itemId: "i0", arm: "control", repeat: 0, hasFailed: false, ...measured },
      { arm: "a", repeat: 1, hasFailed: true, latencyMs: null },
      { arm: "" },
    ],
    judgements: [{ itemId: "i0", treatment: "a", repeat: 0, first: "control", preference: "treatment" }],
    unjudged: [{ itemId: "i0", arm: "b", repeat: 0 }],
    ...{ scores: [], picks: [] },
  });
});

test("a failed answer has the smallest score", () => {
  const records = [
    recordOf({}),
    recordOf({ arm: 1, ...failed }),
    recordOf({ kind: "score", score: 4 }),
    recordOf({ kind: "score", arm: 2, ...failed }),
  ];
  const { scores, judgements, unjudged } = rehearsalFacts({ plan: scorePlan() }, [inputOf(0, null)], records);
  expect(scores).toEqual([
    { itemId: "i0", arm: "a", repeat: 0, score: 1 },
    { itemId: "i0", arm: "control", repeat: 0, score: 4 },
  ]);
  expect([judgements, unjudged]).toEqual([[], [{ itemId: "i0", arm: "b", repeat: 0 }]]);
});
