import { describe, expect, test } from "vitest";
import { type HealthCheck, isFound, numberInWords, summaryOf, worstFirst } from "./health-words.ts";

function check(change: Partial<HealthCheck>): HealthCheck {
  return {
    code: "srm",
    severity: "ok",
    detail: "",
    action: null,
    measure: "share",
    value: 0,
    threshold: 0.02,
    since: null,
    arms: {},
    ...change,
  };
}

describe("numberInWords", () => {
  test.each([
    { change: { value: null }, words: null },
    { change: { value: 0.031 }, words: "3.1%, threshold 2%" },
    {
      change: { measure: "gap", value: 0.2, threshold: 0.1 },
      words: "20 points apart, threshold 10 points",
    },
    { change: { measure: "p_value", value: 0.03, threshold: 0.001 }, words: "p = 0.030, threshold 0.001" },
    { change: { measure: "p_value", value: 1e-9, threshold: 0.001 }, words: "p < 0.0001, threshold 0.001" },
    { change: { measure: "count", value: 1200, threshold: 1 }, words: "1,200, threshold 1" },
  ] as const)("writes $words", ({ change, words }) =>
    expect(numberInWords(check(change))?.replaceAll("\u00a0", " ") ?? null).toBe(words),
  );
});

test("the worst check comes first, equals stay in order", () => {
  const severities = ["ok", "no-data", "warning", "info", "critical", "ok"] as const;
  const checks = severities.map((severity, value) => check({ severity, value }));
  expect(worstFirst(checks).map(({ value }) => value)).toEqual([4, 2, 3, 1, 0, 5]);
});

describe("summaryOf", () => {
  test.each([
    { severities: ["no-data", "ok"], words: "No data yet: no user has been exposed." },
    { severities: ["ok", "info", "info"], words: "No check needs attention." },
    { severities: ["ok", "warning"], words: "1 of 2 checks needs attention." },
    { severities: ["critical", "warning", "ok"], words: "2 of 3 checks need attention." },
  ] as const)("says: $words", ({ severities, words }) =>
    expect(summaryOf(severities.map((severity) => check({ severity })))).toBe(words),
  );
});

test.each([
  { severity: "ok", action: null, found: false },
  { severity: "no-data", action: null, found: false },
  { severity: "no-data", action: "Send an exposure.", found: true },
  { severity: "info", action: null, found: true },
  { severity: "critical", action: "Find it.", found: true },
] as const)("a check that is $severity with the action $action has something to say: $found", (change) =>
  expect(isFound(check(change))).toBe(change.found),
);
