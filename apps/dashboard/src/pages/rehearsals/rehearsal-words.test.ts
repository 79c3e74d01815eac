import { expect, test } from "vitest";
import type { RehearsalRow } from "./queries.ts";
import {
  effectText,
  meanText,
  orderBiasText,
  rowTitle,
  sourceText,
  stateWord,
  toneOf,
  verdictWord,
} from "./rehearsal-words.ts";

const row = (change: Partial<RehearsalRow> = {}): RehearsalRow => ({
  ...{ metric: "preference", treatment: "new", inputs: 100, clusters: 100 },
  ...{ control_value: null, treatment_value: null, effect: 0.25, ci_low: 0.1, ci_high: 0.4 },
  ...{ always_valid_low: 0, always_valid_high: 0.5, p_value: 0.01, adjusted_p_value: 0.02 },
  ...{ is_significant: true, is_corrected: false, picks: 0 },
  ...change,
});
const plain = (text: string | null) => text?.replaceAll("\u00a0", " ").replaceAll("\u2212", "-");

test.each([
  [{ state: "running", ended_because: null, fault: null }, "Running"],
  [{ state: "running", ended_because: null, fault: "down" }, "Running, but waiting"],
  [{ state: "paused", ended_because: null, fault: "404" }, "Paused"],
  [{ state: "stopped", ended_because: null, fault: null }, "Stopped"],
  [{ state: "done", ended_because: "enough", fault: null }, "Done: enough is known"],
  [{ state: "done", ended_because: null, fault: null }, "Done"],
] as const)("%j is %s", (rehearsal, word) => {
  expect(stateWord(rehearsal).word).toBe(word);
});

test.each([
  [row(), "+0.25 (95% CI +0.1 to +0.4)"],
  [
    row({ metric: "error", effect: -0.02, ci_low: -0.03, ci_high: 0.01 }),
    "-2 points (95% CI -3 points to +1 point)",
  ],
  [row({ metric: "cost_usd", effect: 0.001, ci_low: null, ci_high: null }), "+\u2060$0.001"],
  [row({ effect: null }), "no data"],
])("the effect of a row reads %#", (given, text) => {
  expect(plain(effectText(given))).toBe(text);
});

test.each([
  [row(), "good"],
  [row({ effect: -0.25 }), "bad"],
  [row({ is_significant: false }), "quiet"],
  [row({ metric: "cost_usd", effect: -1 }), "good"],
  [row({ metric: "latency_ms", effect: 90 }), "bad"],
  [row({ metric: "length", effect: 90 }), "quiet"],
  [row({ effect: null }), "quiet"],
])("the tone of row %# is %s", (given, tone) => {
  expect(toneOf(given as RehearsalRow)).toBe(tone);
});

test.each([
  ["invalid", "running", "Too early"],
  ["invalid", "done", "Invalid"],
  ["undecided", "running", "Undecided"],
] as const)("the verdict %s of a rehearsal that is %s is called %s", (verdict, state, word) => {
  expect(verdictWord(verdict, state).word).toBe(word);
});

test("a row says that picks corrected it", () => {
  expect(rowTitle(row({ picks: 12 }))).toBe("Preference");
  expect(plain(rowTitle(row({ is_corrected: true, picks: 62 })))).toBe(
    "Preference, corrected by 62 blind picks",
  );
});

test("means, sources and a bias are put in words", () => {
  expect(meanText("score", null)).toBe("none");
  expect(plain(meanText("latency_ms", 812))).toBe("812 ms");
  expect(sourceText({ source: { kind: "upload", format: "csv" } })).toBe("uploaded as csv");
  const calls = {
    kind: "calls",
    experiment_id: "e",
    from: "",
    until: "",
    calls: 1_200,
    left_out: 0,
  } as const;
  expect(sourceText({ source: calls })).toBe("drawn from 1,200 calls");
  const report = { verdicts: [], rows: [], is_enough: false };
  expect(orderBiasText({ report: { ...report, order_bias: null } })).toBeNull();
  const order_bias = { estimate: 0.3, low: 0.2, high: 0.4, inconsistent_share: 0.25 };
  expect(plain(orderBiasText({ report: { ...report, order_bias } }))).toContain(
    "by +0.3 (95% CI +0.2 to +0.4",
  );
});
