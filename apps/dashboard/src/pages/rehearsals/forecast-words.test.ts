import { expect, test } from "vitest";
import { agreementText, fateText, forecastText, neededText, pairText } from "./forecast-words.ts";
import type { Ledger } from "./queries.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ").replaceAll("\u2212", "-");

test("an effect is a share of control's value, or in the metric's unit", () => {
  const row = {
    ...{ treatment: "new", online_metric: "cost", effect: -0.25, low: -0.4, high: -0.1 },
    ...{ ledger: { entries: 0, found: 0, agreed: 0, slope: null }, notes: [] },
    ...{ needed: null, needed_at_worst: null },
  };
  const relative = { ...row, metric: "cost_usd", unit: "relative" } as const;
  expect(plain(forecastText(relative))).toBe("-25% (95% CI -40% to -10%)");
  const absolute = { ...row, metric: "score", unit: "absolute" } as const;
  expect(plain(forecastText(absolute))).toBe("-0.25 (95% CI -0.4 to -0.1)");
});

test.each([
  [null, "unknown"],
  [{ users: 1_200, days: null }, "1,200 users"],
  [{ users: 1_200, days: 1 }, "1,200 users, 1 day"],
])("%j reads %s", (needed, text) => {
  expect(plain(neededText(needed))).toBe(text);
});

test.each([
  [{ status: "draft", outcome: null, shipped_variant: null }, "draft"],
  [{ status: "stopped", outcome: "won", shipped_variant: null }, "stopped, won"],
  [{ status: "shipped", outcome: "won", shipped_variant: "new" }, "shipped new, won"],
] as const)("the fate %j reads %s", (own, text) => {
  expect(fateText({ id: "e", name: "e", ...own })).toBe(text);
});

test("a pair says what was rehearsed and what was found", () => {
  const found = { found: -0.2, found_low: -0.25, found_high: -0.15 };
  const of = { metric: "cost_usd", treatment: "new", unit: "relative", online_metric: "cost" } as const;
  const pair = { ...of, ...found, rehearsed: -0.3 };
  expect(plain(pairText(pair))).toBe(
    "new, Cost of an answer: rehearsed -30%, found -20% (95% CI -25% to -15%)",
  );
});

test("agreement counts findings, and predicts with enough pairs", () => {
  const summary = { metric: "score", entries: 4, found: 3, agreed: 2, slope: null } as const;
  const ledger: Ledger = { metrics: [summary], needed: 5, items: [] };
  expect(plain(agreementText(ledger, "score"))).toBe(
    "2 of 3 clear findings agreed in direction with the rehearsal, among 4 pairs. Once there are 5 pairs, they correct the next forecast.",
  );
  const enough: Ledger = { ...ledger, metrics: [{ ...summary, entries: 5, slope: 0.5 }] };
  expect(plain(agreementText(enough, "score"))).toContain("Experiments find 50% of what rehearsals show.");
  expect(agreementText(ledger, "error")).toBe("");
});
