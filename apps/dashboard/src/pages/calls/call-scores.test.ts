import { expect, test } from "vitest";
import type { StoredEventSummary } from "../../api/types.ts";
import { currentScores, scoresInWords } from "./call-scores.ts";

type CallScore = StoredEventSummary["scores"][number];

const scoreOf = (change: Partial<CallScore> = {}): CallScore => ({
  metric: "helpful",
  metric_version: 1,
  scale: "pass_fail",
  state: "scored",
  score: 1,
  label: null,
  ...change,
});

test.each([
  { name: "no judge", scores: [], words: null },
  { name: "one score", scores: [scoreOf()], words: "pass" },
  { name: "one that waits", scores: [scoreOf({ state: "pending", score: null })], words: "pending" },
  { name: "one that failed", scores: [scoreOf({ state: "failed", score: null })], words: "failed" },
  {
    name: "several metrics",
    scores: [scoreOf(), scoreOf({ metric: "tone", scale: "1-5", score: 4 })],
    words: "helpful: pass, tone: 4 of 5",
  },
  {
    name: "an earlier version of the metric too",
    scores: [scoreOf({ score: 0 }), scoreOf({ metric_version: 2 })],
    words: "pass",
  },
])("a call with $name reads: $words", ({ scores, words }) => expect(scoresInWords(scores)).toBe(words));

test("a second judgement of the same version stays", () =>
  expect(currentScores([scoreOf(), scoreOf({ score: 0 })])).toHaveLength(2));
