import { describe, expect, test } from "vitest";
import { emptyValues } from "./form-values.ts";
import { toMetricValues } from "./metric-values.ts";
import { planBody } from "./plan-body.ts";
import {
  baselineQuestion,
  horizonWords,
  type Plan,
  plannedMetric,
  planRequest,
  planWords,
  spreadHint,
} from "./plan-words.ts";

const cost = toMetricValues({
  name: "cost",
  kind: "mean",
  category: "cost",
  method_default: "auto",
  metric_version: 1,
  shared_org_wide: false,
  role: "primary",
});

const needed = (users: number, days: number | null) => ({ users: {}, users_total: users, days });
const row = (change: Partial<Plan["rows"][number]> = {}): Plan["rows"][number] => ({
  metric: "cost",
  treatment: "concise",
  baseline: { value: 2, sd: 1, source: "history" },
  target_effect: { relative: 0.04, absolute: 0.08 },
  needed: needed(10_800, 12),
  needed_corrected: needed(14_400, 16),
  needed_for_margin: null,
  mde: { days: 14, users: {}, absolute: 0.07, relative: 0.037 },
  mde_corrected: null,
  smaller_units: [],
  notes: [],
  ...change,
});
const plan = (change: Partial<Plan> = {}): Plan => ({
  alpha: 0.05,
  alpha_corrected: 0.025,
  power: 0.8,
  users_per_day: { value: 900, source: "history" },
  shares: {},
  horizon: { horizon_weeks: 2, basis: "traffic", expected_users: 12_600, notes: [] },
  rows: [row()],
  notes: [],
  ...change,
});
const spaced = (text: string) => text.replaceAll("\u00a0", " ");

describe("planWords", () => {
  test.each<[string, Plan, RegExp, { asksUsers: boolean; asksBaseline: boolean }]>([
    [
      "says the duration",
      plan(),
      /^With about 900 users per day, you can detect a change of 4% or more in 12 days\.$/,
      { asksUsers: false, asksBaseline: false },
    ],
    [
      "takes the slowest treatment",
      plan({ rows: [row(), row({ treatment: "b", needed: needed(20_000, 23) })] }),
      /in 23 days/,
      { asksUsers: false, asksBaseline: false },
    ],
    [
      "asks for users that history does not know",
      plan({ users_per_day: null, rows: [row({ needed: needed(10_800, null) })] }),
      /^You need about 10,800 users to detect a change of 4% or more\.$/,
      { asksUsers: true, asksBaseline: false },
    ],
    [
      "keeps showing the input",
      plan({ users_per_day: { value: 5, source: "request" } }),
      /about 5 users per day/,
      { asksUsers: true, asksBaseline: false },
    ],
    [
      "asks for a baseline",
      plan({ rows: [row({ baseline: null, needed: null })] }),
      /depends on control's current value/,
      { asksUsers: false, asksBaseline: true },
    ],
    [
      "says why no duration helps",
      plan({ rows: [row({ needed: null, notes: ["The baseline is 0."] })] }),
      /The baseline is 0/,
      { asksUsers: false, asksBaseline: false },
    ],
    [
      "says that nothing is compared",
      plan({ rows: [] }),
      /Nothing to plan/,
      { asksUsers: false, asksBaseline: false },
    ],
  ])("%s", (_, answer, sentence, asks) => {
    const words = planWords(answer, "cost");
    expect(spaced(words.sentence)).toMatch(sentence);
    expect(words).toMatchObject(asks);
  });
});

test("planRequest sends what is known, with a usual spread where nobody knows it", () => {
  const values = {
    ...emptyValues("s"),
    usersPerDay: 900,
    metrics: [
      { ...cost, baseline: 2 },
      { ...cost, name: "known", baseline: 2, baselineSd: 0.5 },
      { ...cost, name: "share", kind: "binary" as const, baseline: 0.1 },
      { ...cost, name: "p95", kind: "quantile" as const, baseline: 1000 },
      { ...cost, name: "errors", kind: "ratio" as const, source: "error" as const, baseline: 0.5 },
      { ...cost, name: "open" },
    ],
  };
  expect(planRequest(values)).toEqual({
    ...{ alpha: 0.05, power: 0.8 },
    users_per_day: 900,
    baselines: {
      cost: { value: 2, sd: 2 },
      known: { value: 2, sd: 0.5 },
      share: { value: 0.1 },
      p95: { value: 1000, sd: 1500 },
      errors: { value: 0.5, sd: 0.5 },
    },
  });
  expect(planRequest(emptyValues("s"))).toEqual({ alpha: 0.05, power: 0.8 });
});

test("plannedMetric is the primary one, else the first", () => {
  const other = { ...cost, name: "other", role: "secondary" as const };
  expect(plannedMetric([other, cost])).toBe(cost);
  expect(plannedMetric([other])).toBe(other);
  expect(plannedMetric([])).toBeNull();
});

test("planWords says when each margin is settled, by its slowest treatment", () => {
  const rows = [
    row(),
    row({ metric: "quality", needed_for_margin: needed(2_000, 3) }),
    row({ metric: "quality", treatment: "b", needed_for_margin: needed(4_000, 6) }),
    row({ metric: "speed", needed_for_margin: needed(500, null) }),
  ];
  const margins = planWords(plan({ rows }), "cost").details.filter((text) => text.includes("margin"));
  expect(margins.map(spaced)).toEqual([
    "The margin of quality is settled after 6 days and 4,000 users if the variants are alike.",
    "The margin of speed is settled after 500 users if the variants are alike.",
  ]);
});

test.each([
  {
    horizon: { horizon_weeks: 3, basis: "traffic" },
    says: "From what is known now: 3 weeks, planned from the traffic, the target effects and the margins.",
  },
  {
    horizon: { horizon_weeks: 2, basis: "default" },
    says: "From what is known now: 2 weeks.",
  },
] as const)("horizonWords: $says", ({ horizon, says }) => {
  const words = horizonWords({ ...horizon, expected_users: null, notes: ["A note."] });
  expect(words.map(spaced)).toEqual([says, "A note."]);
});

describe("what smaller units would gain", () => {
  const conversations = { unit: "conversation", units_per_user: 3.21, correlation: 0.312 } as const;

  test.each<[string, Plan, string]>([
    [
      "with the days that they save",
      plan({ rows: [row({ smaller_units: [{ ...conversations, gain: 1.92, days: 7 }] })] }),
      "Users have 3.21 conversations on average, with a correlation of 0.31: if each conversation got a variant, 1.9 times fewer conversations would be enough, about 7 days instead of 12.",
    ],
    [
      "without days where nobody knows how many users come",
      plan({
        rows: [
          row({
            needed: needed(10_800, null),
            smaller_units: [{ ...conversations, unit: "run", gain: 1.92, days: null }],
          }),
        ],
      }),
      "Users have 3.21 runs on average, with a correlation of 0.31: if each run got a variant, 1.9 times fewer runs would be enough.",
    ],
    [
      "little",
      plan({ rows: [row({ smaller_units: [{ ...conversations, correlation: 0, gain: 1.004, days: 12 }] })] }),
      "Users have 3.21 conversations on average, with a correlation of 0: randomizing conversations instead of users would gain little.",
    ],
  ])("says it %s", (_, planned, sentence) => {
    expect(planWords(planned, "cost").units.map(spaced)).toEqual([sentence]);
  });
});

test("planBody asks for no other plan when texts, prompts, tags or QA users change", () => {
  const values = { ...emptyValues("s"), metrics: [cost] };
  const variants = values.variants.map((variant) => ({
    ...variant,
    ...{ prompt: "Answer.", description: "d", qaUsers: "ann" },
  }));
  const typed = { name: "tone", hypothesis: "h", description: "d", tags: "a, b", variants };
  expect(planBody({ ...values, ...typed })).toEqual(planBody(values));
  expect(planBody({ ...values, coverage: 0.5 })).not.toEqual(planBody(values));
  expect(planBody({ ...values, metrics: [] })).toBeNull();
});

test("the fields of a baseline name the unit", () => {
  const share = { ...cost, kind: "binary" as const };
  expect(baselineQuestion(share)).toBe("Share of users today");
  expect(baselineQuestion(share, "conversation")).toBe("Share of conversations today");
  expect(baselineQuestion(cost, "run")).toBe("Today's average per run");
  const errors = { ...cost, kind: "ratio" as const, source: "error" as const };
  expect(spreadHint(errors, "conversation")).toBe("Empty: assumes one call per conversation.");
});
