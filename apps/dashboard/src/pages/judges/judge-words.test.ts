import { describe, expect, test } from "vitest";
import {
  agreementSentence,
  backlogInWords,
  failuresInWords,
  kappaInWords,
  kappaWord,
  labelledInWords,
  labelsMissing,
  partInWords,
  timeToGo,
} from "./judge-words.ts";
import type { ArmAgreement } from "./queries.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const plain = (text: string | null) => text?.replaceAll("\u00a0", " ") ?? null;

const agreement = (change: Partial<ArmAgreement>): ArmAgreement => ({
  labels: 120,
  agreeing: 101,
  kappa: 0.617,
  ci_low: 0.48,
  ci_high: 0.755,
  matrix: [],
  false_passes: { count: 0, of: 0 },
  false_fails: { count: 0, of: 0 },
  mean_judge_score: null,
  mean_label: null,
  ...change,
});

test("the backlog says how much waits and since when", () => {
  expect(backlogInWords({ backlog: 0, oldest_pending_at: null }, NOW)).toBe("empty");
  expect(plain(backlogInWords({ backlog: 1240, oldest_pending_at: "2026-11-22T09:00:00Z" }, NOW))).toBe(
    "1,240 judgements, the oldest drawn 3 h ago",
  );
});

test.each([
  { backlog: 0, perMinute: 10, words: null },
  { backlog: 100, perMinute: 0, words: null },
  { backlog: 95, perMinute: 10, words: "about 10 minutes" },
  { backlog: 3000, perMinute: 10, words: "about 5 hours" },
])("$backlog judgements at $perMinute a minute take: $words", ({ backlog, perMinute, words }) =>
  expect(plain(timeToGo(backlog, perMinute))).toBe(words),
);

test("failures are listed with their causes, the most frequent first", () => {
  const failures = [
    { cause: "refused", count: 2 },
    { cause: "timed-out", count: 12 },
  ] as const;
  expect(failuresInWords(failures)).toEqual([
    "12 because the judge took too long",
    "2 because the judge refused to score it",
  ]);
});

describe("labels", () => {
  const arms = { control: { pending: 0, scored: 9, failed: 0, labels: 70 } };

  test("are counted with the age of the last", () => {
    expect(plain(labelledInWords({ arms, last_labelled_at: "2026-11-13T12:00:00Z" }, NOW))).toBe(
      "70 labels, the latest 9 days ago",
    );
    expect(labelledInWords({ arms: {}, last_labelled_at: null }, NOW)).toBe("none yet");
  });

  test("that are missing are named by variant, and variants with enough left out", () => {
    expect(labelsMissing({ control: 50, concise: 32 }, 50)).toContain(
      "Labels still needed: 18 for concise (50 per variant).",
    );
    expect(labelsMissing({ control: 50, concise: 51 }, 50)).toContain("Every variant has 50 labels or more");
  });
});

test.each([
  { change: { labels: 0, agreeing: 0 }, words: /^No labels yet/ },
  {
    change: { kappa: null, ci_low: null, ci_high: null },
    words: /agree on 101 of 120 labeled answers \(84\.2%\)\. To measure agreement beyond chance/,
  },
  { change: {}, words: /is substantial: kappa = 0\.62 \(0\.48 to 0\.76\)/ },
])("the agreement of $change reads $words", ({ change, words }) =>
  expect(plain(agreementSentence(agreement(change)))).toMatch(words),
);

test.each([
  { kappa: null, ci_low: null, ci_high: null, words: "unknown" },
  { kappa: -0.1, ci_low: -0.3, ci_high: 0.1, words: "−0.10 (−0.30 to 0.10)" },
  { kappa: 1, ci_low: null, ci_high: null, words: "1.00" },
  { kappa: -0.001, ci_low: -0.004, ci_high: 0.004, words: "0.00 (0.00 to 0.00)" },
])("kappa $kappa is written $words", ({ words, ...kappa }) => expect(kappaInWords(kappa)).toBe(words));

test.each([
  [-0.1, "no better than chance"],
  [0.2, "slight"],
  [0.4, "fair"],
  [0.6, "moderate"],
  [0.8, "substantial"],
  [0.81, "almost perfect"],
])("a kappa of %d is %s", (kappa, word) => expect(kappaWord(kappa)).toBe(word));

test("a part of nothing is a dash", () => {
  expect(plain(partInWords({ count: 3, of: 40 }))).toBe("3 of 40 (7.5%)");
  expect(partInWords({ count: 0, of: 0 })).toBe("–");
});
