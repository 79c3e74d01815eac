import { expect, test } from "vitest";
import type { Wire } from "../api/types.ts";
import { changeInWords, textChangeInWords, weekRows } from "./holdback-words.ts";

type Week = Wire<"HoldbackView">["weeks"][number];
const row: Week["rows"][number] = {
  ...{ metric: "bought", metric_version: 1, desired: "increase", test: "two_proportion_z" },
  ...{ control_value: 0.1, treatment_value: 0.12, effect: 0.02, ci_low: 0.01, ci_high: 0.03 },
  ...{ relative_effect: 0.2, relative_ci_low: 0.1, relative_ci_high: 0.3, n_per_arm: { a: 2, b: 3 } },
};
const week = (change: Partial<Week>): Week => ({
  ...{ from: "2026-03-02T10:00:00.000Z", to: "2026-03-09T10:00:00.000Z", users: { a: 1_234, b: 20_000 } },
  ...{ srm_p: 0.4, is_withheld: false, rows: [row], ...change },
});

test("weeks are listed from the newest on, with what they show", () => {
  const weeks = [
    week({}),
    week({ from: "2026-03-09T10:00:00.000Z", rows: [] }),
    week({ from: "2026-03-16T10:00:00.000Z", is_withheld: true, rows: [] }),
    week({ from: "2026-03-23T10:00:00.000Z", rows: [{ ...row, relative_ci_low: null }] }),
  ];
  const rows = weekRows(weeks, "bought", { metrics: [], arms: ["b", "a"] });
  expect(rows.map(({ lift }) => lift)).toEqual([
    expect.stringMatching(/^\+20%/),
    "withheld: the split does not match the buckets",
    "too few events",
    "+20% (95% CI +10% to +30%)",
  ]);
  expect(rows.at(-1)).toMatchObject({ users: "20,000 and 1,234", week: expect.stringMatching(/^1: .+ to /) });
});

test.each([
  { verdict: "smaller", says: "The lift became smaller" },
  { verdict: "larger", says: "The lift became larger" },
  { verdict: "no-difference", says: "No change of the lift was found, but there may be one" },
  { verdict: null, says: "Not tested yet: the test runs a day after the holdback ends" },
] as const)("a change with the verdict $verdict is put in words", ({ verdict, says }) => {
  const change = {
    ...{ metric: "bought", lift_then: 0.2, lift_now: 0.05, change: -0.15, ci_low: -0.25, ci_high: 0.05 },
    ...{ p_value: 0.01, p_value_fdr: 0.02, verdict },
  };
  const words = changeInWords(change, []);
  expect(words).toContain("bought: +5% since shipping, +20% in the experiment.");
  expect(words).toContain(says);
  expect(words).toContain("(difference −15\u00a0points, 95% CI −25\u00a0points to +5\u00a0points).");
});

test("a share without a window is not comparable over time", () => {
  const change = {
    ...{ metric: "bought", lift_then: 0.2, lift_now: 0.05, change: -0.15, ci_low: -0.25, ci_high: 0.05 },
    ...{ p_value: 0.01, p_value_fdr: 0.02, verdict: "smaller" as const },
  };
  const metric = (window_days: number | null, kind: "binary" | "mean" = "binary") =>
    [{ name: "bought", kind, window_days }] as unknown as Parameters<typeof changeInWords>[1];
  expect(changeInWords(change, metric(null))).toContain("no window, so its share rises with time");
  expect(changeInWords(change, metric(7))).not.toContain("no window");
  expect(changeInWords(change, metric(null, "mean"))).not.toContain("no window");
});

test("a changed text is put in words", () => {
  expect(textChangeInWords({ at: "2026-03-05T10:00:00.000Z", variants: ["concise"] })).toMatch(
    /^The prompt or variables of concise changed on .*5.*: weeks before and after compare different texts\.$/,
  );
});
