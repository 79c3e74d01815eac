import { describe, expect, test } from "vitest";
import { decidedOf, planStatusOf } from "../pages/experiments/overview-fixture.ts";
import {
  basisWords,
  type Claim,
  claimWords,
  evidenceWords,
  openWords,
  type PlanStatus,
  planRemarks,
  planSentence,
} from "./decision-words.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");
const open = [{ metric: "quality", treatment: "concise", days: 6, labels: 120 }];
const losses = [{ metric: "cost", treatment: "concise" }];
const alarms = [{ metric: "quality", treatment: "concise" }];
const NEEDS = "quality with concise needs about 6 more days or 120 more labels";

describe("planSentence", () => {
  test.each<{ name: string; plan: PlanStatus; days?: number; says: string }>([
    {
      name: "running",
      plan: planStatusOf({}),
      says: "Running: 43% of the planned information, planned end 18 Jan 2026.",
    },
    {
      name: "running before the first look, where nothing is measured",
      plan: planStatusOf({ look: 0, information: 0 }),
      says: "Running: no look decides before 11 Jan 2026; planned end 18 Jan 2026.",
    },
    {
      name: "running with one look at the end",
      plan: planStatusOf({ looks: "fixed", look: 0, information: 0 }),
      says: "Running: one look decides, at the planned end, 18 Jan 2026.",
    },
    {
      name: "running after the planned end without a result for a primary metric",
      plan: planStatusOf({}),
      days: 0,
      says: "Running: the planned end, 18 Jan 2026, is over. The next nightly run with a result for every primary metric decides.",
    },
    {
      name: "running after the last look, with an open margin",
      plan: decidedOf("running", { open }),
      days: 0,
      says: `The planned looks ended on 18 Jan 2026: nothing was found to be better, and a margin is not settled: ${NEEDS}.`,
    },
    {
      name: "running after the last look, with the margin settled since",
      plan: decidedOf("running"),
      says: "The planned looks ended on 18 Jan 2026: nothing was found to be better. A margin that was not settled then is settled now.",
    },
    {
      name: "ahead",
      plan: planStatusOf({ state: "winning" }),
      says: "Ahead, but not decided yet: 43% of the planned information, planned end 18 Jan 2026.",
    },
    {
      name: "a guardrail open before the last look",
      plan: planStatusOf({ state: "better-guardrail-open", open }),
      says: `Better, guardrail not settled: ${NEEDS}. Running: 43% of the planned information, planned end 18 Jan 2026.`,
    },
    {
      name: "a guardrail open after the last look",
      plan: decidedOf("better-guardrail-open", { open }),
      says: `Better, guardrail not settled: ${NEEDS}. The planned looks ended on 18 Jan 2026: only evidence that holds at any look settles it now.`,
    },
    {
      name: "a guardrail that was settled since, with a loss",
      plan: decidedOf("better-guardrail-open", { losses }),
      says: "Better, and every margin is settled now, but another metric is significantly worse.",
    },
    {
      name: "mixed before the decision",
      plan: planStatusOf({ state: "mixed", losses }),
      says: "Mixed so far: better in one metric, significantly worse in another. Running: 43% of the planned information, planned end 18 Jan 2026.",
    },
    {
      name: "mixed",
      plan: decidedOf("mixed", { losses }),
      says: "Decided on 18 Jan 2026 (look 5): better in one metric, significantly worse in another. Weigh the two.",
    },
    {
      name: "mixed, with a loss that the newest night does not show",
      plan: decidedOf("mixed"),
      says: "Decided on 18 Jan 2026 (look 5): better in one metric, significantly worse in another. The newest night does not show the loss as significant.",
    },
    {
      name: "ready",
      plan: decidedOf("ready-to-decide"),
      says: "Decided on 18 Jan 2026 (look 5): concise may be shipped.",
    },
    {
      name: "ready, with a loss since",
      plan: decidedOf("ready-to-decide", { losses }),
      says: "Decided on 18 Jan 2026 (look 5): concise may be shipped. Since then it is significantly worse in another way: weigh that first.",
    },
    {
      name: "ready, with another's loss",
      plan: decidedOf("ready-to-decide", { losses: [{ metric: "cost", treatment: "long" }] }),
      says: "Decided on 18 Jan 2026 (look 5): concise may be shipped.",
    },
    {
      name: "nothing found",
      plan: decidedOf("no-difference"),
      says: "Decided on 18 Jan 2026 (look 5): nothing was found to be better, and no margin is open.",
    },
    {
      name: "losing",
      plan: planStatusOf({ state: "losing", alarms }),
      says: "concise is worse by evidence that holds at any look. Consider stopping.",
    },
    {
      name: "losing after the decision look",
      plan: decidedOf("no-difference", { state: "losing", alarms }),
      says: "concise is worse by evidence that holds at any look. Consider stopping. The decision look of 18 Jan 2026 gave: nothing is better, and no margin is open.",
    },
    {
      name: "a guardrail failing",
      plan: planStatusOf({ state: "guardrail-failing", alarms }),
      says: "The guardrail is worse by evidence that holds at any look. Check it first.",
    },
    {
      name: "a guardrail failing after the decision look",
      plan: decidedOf("ready-to-decide", { state: "guardrail-failing", alarms }),
      says: "The guardrail is worse by evidence that holds at any look. Check it first. The decision look of 18 Jan 2026 gave: concise may be shipped.",
    },
  ])("$name", ({ plan, days, says }) => expect(plain(planSentence(plan, days ?? null))).toBe(says));
});

test.each([
  { days: 6, labels: 120, says: "needs about 6 more days or 120 more labels" },
  { days: 1, labels: null, says: "needs about 1 more day" },
  { days: null, labels: 1, says: "needs about 1 more label" },
  { days: 3, labels: 0, says: "needs about 3 more days" },
  {
    days: 0,
    labels: null,
    says: "has enough data to be settled at a look, unless the difference is near the margin",
  },
  {
    days: null,
    labels: null,
    says: "needs more data: how much is unknown, or it would take more than ten years",
  },
])("an open margin with $days days and $labels labels $says", ({ days, labels, says }) => {
  expect(plain(openWords([{ metric: "quality", treatment: "b", days, labels }]))).toBe(
    `quality with b ${says}`,
  );
});

describe("planRemarks", () => {
  const claim = {
    metric: "quality",
    treatment: "concise",
    is_unlikely: true,
    conditional_power: 0.08,
  } as Claim;
  const status = (evidence: readonly Claim[], plan: PlanStatus = planStatusOf({})) => ({
    ...plan,
    ...{ evidence, expected_users: {}, plan_changes: [] },
  });

  test("tells what has become unlikely, until there is a decision", () => {
    expect(planRemarks(status([claim]))).toEqual([
      "quality with concise: unlikely to reach the target (conditional power 8%).",
    ]);
    expect(planRemarks(status([{ ...claim, is_unlikely: false }]))).toEqual([]);
    expect(planRemarks(status([claim], decidedOf("no-difference")))).toEqual([]);
  });
});

test.each([
  { z: null, boundary: 2.9, says: "no evidence: the row has no interval" },
  { z: 2.1, boundary: 2.94, says: "z 2.10 of 2.94 needed" },
  { z: -1.2, boundary: null, says: "z −1.20" },
])("evidence of z $z at the boundary $boundary: $says", ({ says, ...claim }) =>
  expect(evidenceWords(claim)).toBe(says),
);

test.each([
  { claim: { met_on: "2026-01-18" }, isDecided: true, says: "met on 18 Jan 2026" },
  { claim: {}, isDecided: false, says: "not met" },
  {
    claim: { is_unlikely: true, conditional_power: 0.08 },
    isDecided: false,
    says: "not met, unlikely to reach the target (conditional power 8%)",
  },
  { claim: { is_unlikely: true, conditional_power: 0.08 }, isDecided: true, says: "not met" },
])("a claim: $says", ({ claim, isDecided, says }) =>
  expect(claimWords({ met_on: null, is_unlikely: false, conditional_power: null, ...claim }, isDecided)).toBe(
    says,
  ),
);

test.each([
  { plan: {}, says: null },
  { plan: { horizon_weeks: null, basis: null }, says: null },
  {
    plan: { horizon_weeks: 2, basis: "default" },
    says: "Runs 2 weeks because there was no traffic to plan from.",
  },
  {
    plan: { horizon_weeks: 2, basis: "default", expected_users: 900 },
    says: "Runs 2 weeks because too little was known about its metrics to plan from.",
  },
  {
    plan: { horizon_weeks: 3, basis: "traffic" },
    says: "Runs 3 weeks: planned from the traffic, the target effects and the margins.",
  },
  { plan: { horizon_weeks: 1, basis: "request" }, says: "Runs 1 week, as requested." },
] as const)("the basis of $plan", ({ plan, says }) =>
  expect(basisWords(plan)?.replaceAll("\u00a0", " ") ?? null).toBe(says),
);
