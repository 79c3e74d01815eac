import { expect, test } from "vitest";
import type { Wire } from "../../api/types.ts";
import { atFull, beyondAllowance, judgesAtFull, overageInWords } from "./plan-words.ts";

test.each<[string, boolean, number | null, RegExp]>([
  ["an installation without limits", false, 0, /not limited on this installation/],
  ["a plan without a bound", true, null, /unlimited/],
  ["a plan without evaluations", true, 0, /not scored until you upgrade/],
  ["a plan with an allowance", true, 5_000, /spread over the rest of the month.*no more answers are drawn/],
])("judgesAtFull of %s", (_, enforced, allowance, words) => {
  const usage = { enforced, judge_evaluations: { used: 0, allowance } } as Wire<"UsageSummary">;
  expect(judgesAtFull(usage)).toMatch(words);
});

test.each([
  { enforced: true, allowance: null, billed: false, metered: false, beyond: "–", full: /unlimited events/ },
  { enforced: true, allowance: 10, billed: false, metered: false, beyond: "refused", full: /refused \(429/ },
  { enforced: true, allowance: 10, billed: true, metered: true, beyond: "billed", full: /billed as overage/ },
  {
    enforced: true,
    allowance: 10,
    billed: true,
    metered: false,
    beyond: "accepted",
    full: /does not charge/,
  },
  {
    enforced: false,
    allowance: 10,
    billed: true,
    metered: false,
    beyond: "accepted",
    full: /no events are refused/,
  },
])("beyond an allowance of $allowance: $beyond", ({ enforced, allowance, billed, metered, beyond, full }) => {
  const events = { used: 13, allowance, overage: 3 };
  const usage = {
    enforced,
    events,
    overage_billed: billed,
    overage_metered: metered,
  } as Wire<"UsageSummary">;
  expect(beyondAllowance(usage)).toBe(beyond);
  expect(atFull(usage)).toMatch(full);
  expect(overageInWords(usage)).toMatch(metered ? /^3\sevents .*billed/ : /^3\sevents .*does not charge/);
});
