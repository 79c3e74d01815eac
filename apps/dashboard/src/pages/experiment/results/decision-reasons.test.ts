import { describe, expect, test } from "vitest";
import type { MetricDefinition, MetricResult } from "../../../api/types.ts";
import { changersOf, powerWarning, reasonsOf } from "./decision-reasons.ts";

const row = (change: Partial<MetricResult>): MetricResult =>
  ({
    metric: "cost",
    role: "primary",
    treatment: "concise",
    control: "base",
    desired: "decrease",
    verdict: "inconclusive",
    control_value: 200,
    effect: -4,
    ci_low: -10,
    ci_high: 2,
    relative_effect: -0.02,
    relative_ci_low: -0.05,
    relative_ci_high: 0.01,
    p_value_fdr: 0.21,
    p_floor: false,
    mde: 20,
    window_days: 10,
    days_to_go: { target_effect: 10, days: 12.3, days_low: 9, days_high: 20 },
    ...change,
  }) as MetricResult;

const guardrail = (change: Partial<MetricResult>) => row({ metric: "latency", role: "guardrail", ...change });
const metrics = (margin: number | null) =>
  [
    { name: "latency", kind: "ratio", margin, source: { event: "model_call", field: "latency_ms" } },
  ] as MetricDefinition[];

const plain = (sentences: readonly string[]) => sentences.map((one) => one.replaceAll("\u00a0", " "));

describe("reasonsOf", () => {
  test("the deciding rows come first, then the correction", () => {
    expect(plain(reasonsOf([row({})], []))).toEqual([
      "cost: concise against base: −2 % (95 % interval −5 % to +1 %), corrected p = 0.210: not clear.",
      "It is the only comparison, so nothing had to be corrected for; it decides below p = 0.05.",
    ]);
  });

  test.each([
    {
      name: "worse",
      change: { verdict: "worse", effect: 9, relative_effect: 0.045 },
      margin: 1,
      says: /raises latency by 4\.5 %.*: worse\.$/,
    },
    {
      name: "tolerable",
      change: { ci_high: 12 },
      margin: 20,
      says: /a loss of 12 ms is still possible, and 20 ms is tolerated/,
    },
    {
      name: "not bounded enough",
      change: { ci_high: 30 },
      margin: 20,
      says: /a loss of 30 ms is still possible, where 20 ms is tolerated/,
    },
    { name: "without a margin", change: { ci_high: 30 }, margin: null, says: /It has no margin/ },
    {
      name: "without a possible loss",
      change: { ci_high: -1 },
      margin: null,
      says: /no loss is left in its interval/,
    },
    { name: "better", change: { ci_high: -1, verdict: "better" }, margin: null, says: /: better\.$/ },
    { name: "without a bound", change: { ci_high: null }, margin: 20, says: /puts no bound on the loss/ },
  ] as const)("a guardrail that is $name", ({ change, margin, says }) => {
    const [, reason = ""] = plain(reasonsOf([row({}), guardrail(change)], metrics(margin)));
    expect(reason).toMatch(says);
  });

  test("the number of comparisons is named", () => {
    expect(reasonsOf([row({}), guardrail({})], []).at(-1)).toContain("over 2 comparisons");
  });
});

describe("changersOf", () => {
  test("says how small a change shows, and how long the target takes", () => {
    expect(plain(changersOf([row({})], []))).toEqual([
      "cost: this much data finds a change of 10 % or more four times out of five; smaller ones may hide.",
      "cost: about 13 more days (9 to 20, as traffic varies) until a change of 5 % would be found.",
    ]);
  });

  test.each([
    { days: 0, says: /planned for a change of 5 % is there/ },
    { days: null, says: /not within ten years/ },
  ])("a target that is $days days away", ({ days, says }) => {
    const toGo = { target_effect: 10, days, days_low: null, days_high: null };
    expect(plain(changersOf([row({ days_to_go: toGo })], []))[1]).toMatch(says);
  });

  test("speaks of the treatment that wins, or else of the one whose differences are hardest to see", () => {
    const rows = [row({ mde: 20 }), row({ treatment: "verbose", mde: 40 })];
    expect(plain(changersOf(rows, []))[0]).toContain("20 %");
    const won = [row({ mde: 20, verdict: "better" }), row({ treatment: "verbose", mde: 40 })];
    expect(plain(changersOf(won, []))[0]).toContain("10 %");
  });
});

describe("powerWarning", () => {
  const far = { target_effect: 10, days: 90, days_low: null, days_high: null };

  test("a month more shrinks what can be seen with the root of the users", () => {
    expect(powerWarning(row({ days_to_go: far }), [])?.replaceAll("\u00a0", " ")).toBe(
      "Even after 30 more days this would only reveal changes of cost above 5 %.",
    );
  });

  test.each([
    { name: "near", change: {} },
    { name: "unknown", change: { days_to_go: null } },
    { name: "found already", change: { days_to_go: far, verdict: "better" } },
    { name: "without spread", change: { days_to_go: far, mde: null } },
  ] as const)("keeps silent when the target is $name", ({ change }) => {
    expect(powerWarning(row(change), [])).toBeNull();
  });
});
