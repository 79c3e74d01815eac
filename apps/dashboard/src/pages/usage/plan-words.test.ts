import { expect, test } from "vitest";
import type { Wire } from "../../api/types.ts";
import { judgesAtFull } from "./plan-words.ts";

test.each<[string, boolean, number | null, RegExp]>([
  ["an installation without limits", false, 0, /not limited on this installation/],
  ["a plan without a bound", true, null, /unlimited/],
  ["a plan without evaluations", true, 0, /not scored until you upgrade/],
  ["a plan with an allowance", true, 5_000, /spread over the rest of the month.*no more answers are drawn/],
])("judgesAtFull of %s", (_, enforced, allowance, words) => {
  const usage = { enforced, judge_evaluations: { used: 0, allowance } } as Wire<"UsageSummary">;
  expect(judgesAtFull(usage)).toMatch(words);
});
