import { describe, expect, test } from "vitest";
import type { ExperimentOverview, Tradeoff } from "../../api/types.ts";
import { decidedOf, overviewOf, planStatusOf } from "./overview-fixture.ts";
import {
  hasInterval,
  observedSplit,
  primaryTone,
  primaryWords,
  progressWords,
  sharedScale,
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
  expect(observedSplit(overviewOf({}))).toEqual([]);
});

test.each([
  { plan: null, words: null },
  { plan: planStatusOf({ information: 0.62 }), words: "62% · planned end 18 Jan 2026" },
  { plan: planStatusOf({ information: 0.041 }), words: "4% · planned end 18 Jan 2026" },
  { plan: planStatusOf({ information: 0, look: 0 }), words: "Planned end 18 Jan 2026" },
  { plan: decidedOf("ready-to-decide"), words: "Decided on 18 Jan 2026" },
  { plan: decidedOf("running", { state: "losing" }), words: "Decided on 18 Jan 2026" },
])("progressWords: $words", ({ plan, words }) => expect(progressWords({ plan_status: plan })).toBe(words));

test.each<{
  name: string;
  primary: Partial<Primary>;
  metric?: ExperimentOverview["primary_metric"];
  tone: string;
  effect: string;
  verdict: string;
}>([
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
    effect: "+1.5 (+1 to ∞)",
    verdict: "▼ worse",
  },
  {
    name: "a share without a relative effect",
    primary: { metric: "bought", relative_effect: null, effect: 0.2, ci_low: 0.163, ci_high: 0.242 },
    metric: { name: "bought", kind: "binary" } as ExperimentOverview["primary_metric"],
    tone: "good",
    effect: "+20 points (+16.3 points to +24.2 points)",
    verdict: "▲ better",
  },
])("the primary metric's words of $name", ({ primary, metric = null, tone, effect, verdict }) => {
  const row = { ...better, ...primary };
  const words = primaryWords(row, metric);
  expect([primaryTone(row), plain(words.effect), words.verdict]).toEqual([tone, effect, verdict]);
});

test("a row without an interval has no bar", () => {
  const bounds = (low: number | null, high: number | null) =>
    hasInterval({ relative_ci_low: low, relative_ci_high: high });
  expect([bounds(null, null), bounds(0, null), bounds(null, 0), bounds(-0.1, 0.1)]).toEqual([
    ...[false, true, true, true],
  ]);
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
