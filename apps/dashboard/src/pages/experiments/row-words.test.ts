import { describe, expect, test } from "vitest";
import type { ExperimentOverview, Tradeoff } from "../../api/types.ts";
import { overviewOf } from "./overview-fixture.ts";
import {
  observedSplit,
  primaryTone,
  primaryWords,
  progressWords,
  sharedScale,
  splitWords,
  tradeoffWords,
} from "./row-words.ts";

type Primary = NonNullable<ExperimentOverview["primary"]>;

const better: Primary = {
  metric: "cost",
  treatment: "concise",
  desired: "decrease",
  p_value_fdr: 0.001,
  significant: true,
  verdict: "better",
  effect: -0.2,
  ci_low: -0.3,
  ci_high: -0.1,
  relative_effect: -0.182,
  relative_ci_low: -0.214,
  relative_ci_high: -0.15,
};

const plain = (text: string | null) => text?.replaceAll("\u00a0", " ");

test("the observed split counts every variant, and nothing before the first user", () => {
  const split = observedSplit(overviewOf({ users: { concise: 300, control: 100 } }));
  expect(split.map(({ variant, share }) => [variant, share])).toEqual([
    ["control", 0.25],
    ["concise", 0.75],
  ]);
  expect(plain(splitWords(split))).toBe("25% / 75%");
  expect(observedSplit(overviewOf({}))).toEqual([]);
});

test.each([
  { name: "unknown progress has no words", progress: null, words: undefined },
  {
    name: "says the share and the days",
    progress: { share: 0.62, days_to_go: 4.3 },
    words: "62% · about 5 days",
  },
  { name: "speaks of one day", progress: { share: 0.97, days_to_go: 0.4 }, words: "97% · about 1 day" },
  {
    name: "says only the share when the days are not known",
    progress: { share: 0.04, days_to_go: null },
    words: "4%",
  },
  { name: "has no days to go when done", progress: { share: 1, days_to_go: 3 }, words: "100%" },
])("progressWords $name", ({ progress, words }) =>
  expect(plain(progressWords({ progress, state: "running" }))).toBe(words),
);

test("progressWords of one that is ready does not count days", () =>
  expect(progressWords({ progress: { share: 0.1, days_to_go: 90 }, state: "ready-to-decide" })).toBe(
    "Enough to decide",
  ));

test.each<{ name: string; primary: Partial<Primary>; tone: string; effect: string; verdict: string }>([
  {
    name: "a significant effect",
    primary: {},
    tone: "good",
    effect: "−18% (−21% to −15%)",
    verdict: "▲ better",
  },
  {
    name: "an effect that decides nothing",
    primary: { significant: false, verdict: "inconclusive" },
    tone: "quiet",
    effect: "−18% (−21% to −15%)",
    verdict: "not clear yet",
  },
  {
    name: "a metric without a relative effect",
    primary: { relative_effect: null, verdict: "worse", effect: 1.5, ci_low: 1, ci_high: null },
    tone: "bad",
    effect: "+1.5 (1 to ∞)",
    verdict: "▼ worse",
  },
])("the primary metric's words of $name", ({ primary, tone, effect, verdict }) => {
  const row = { ...better, ...primary };
  const words = primaryWords(row);
  expect([primaryTone(row), plain(words.effect), words.verdict]).toEqual([tone, effect, verdict]);
});

test.each([
  { name: "is narrow around small effects", bounds: [0.01, 0.02], max: 0.05 },
  { name: "leaves a wild row out", bounds: [...Array(19).fill(0.28), 40], max: 0.3 },
  { name: "ends at the double", bounds: [5, 6], max: 1 },
  { name: "exists without a run", bounds: [], max: 0.05 },
])("sharedScale $name", ({ bounds, max }) => {
  const items = bounds.map((bound) => ({
    primary: { ...better, relative_ci_low: -bound, relative_ci_high: null },
  }));
  expect(sharedScale(items)).toEqual({ min: -max, max });
});

describe("tradeoffWords", () => {
  const traded = (treatment: string, usd: number, isOpinion = false) =>
    ({
      treatment,
      saving: { metric: "cost", usd_per_1000_users: usd },
      not_worse: [{ metric: "passes", is_judge_opinion: isOpinion }],
    }) as unknown as Tradeoff;

  test.each<[string, readonly Tradeoff[], string | null]>([
    ["nothing where nothing is traded", [], null],
    ["the largest saving", [traded("a", 1), traded("b", 4.1)], "b saves $4.10 per 1,000 users, not worse"],
    [
      "on whose word it rests",
      [traded("b", 4.1, true)],
      "b saves $4.10 per 1,000 users, not worse (judge opinion)",
    ],
  ])("says %s", (_, tradeoffs, words) => {
    expect(tradeoffWords({ tradeoffs })?.replaceAll("\u00a0", " ") ?? null).toBe(words);
  });
});
