import { describe, expect, test } from "vitest";
import type { HealthEntry, MetricResult, SrmGate, Tradeoff } from "./results.ts";
import { summarizeRun } from "./run-summary.ts";

const shown = {
  metric: "m",
  treatment: "b",
  role: "primary",
  desired: "increase",
  effect: 2,
  ciLow: 1,
  ciHigh: 3,
  relativeEffect: 0.1,
  relativeCiLow: 0.05,
  relativeCiHigh: 0.15,
  pValue: 0.01,
  pValueFdr: 0.02,
  pValueSeqFdr: 0.2,
  significant: true,
  verdict: "better",
} as const;

const rowOf = (change: Partial<MetricResult> = {}) =>
  ({ ...shown, mde: 2, daysToGo: null, nonInferiority: null, distribution: {}, ...change }) as MetricResult;
const runOf = (rows: readonly MetricResult[], health: readonly HealthEntry["severity"][] = []) => ({
  srm: { status: "passed" } as SrmGate,
  health: health.map((severity) => ({ code: "c", severity, detail: "d" })),
  results: Object.fromEntries(rows.map((row, index) => [String(index), row])),
});
const toGo = (days: number | null, targetEffect = 1) => ({
  targetEffect,
  days,
  daysLow: days,
  daysHigh: days,
});

describe("the summary of a run", () => {
  test("has the fields of a row that lists show, without its distribution", () => {
    expect(summarizeRun(runOf([rowOf()]))).toEqual({
      srmStatus: "passed",
      withheldBy: null,
      worstRemark: null,
      rows: [{ ...shown, progress: null, nonInferiority: null }],
      tradeoffs: [],
      decision: null,
    });
  });

  test("keeps a row's non-inferiority and the trade-offs", () => {
    const nonInferiority = { margin: 1, worstLoss: 0.5, isNotWorse: true, isNotWorseSeq: false };
    const tradeoffs = [{ treatment: "b" } as Tradeoff];
    const summary = summarizeRun({ ...runOf([rowOf({ nonInferiority })]), tradeoffs });
    expect(summary.rows[0]?.nonInferiority).toEqual(nonInferiority);
    expect(summary.tradeoffs).toEqual(tradeoffs);
  });

  test("has neither for a run older than margins", () => {
    const summary = summarizeRun(runOf([rowOf({ nonInferiority: undefined! })]));
    expect([summary.rows[0]?.nonInferiority, summary.tradeoffs]).toEqual([null, []]);
  });

  test.each<[readonly HealthEntry["severity"][], HealthEntry["severity"] | null]>([
    [[], null],
    [["info"], "info"],
    [["info", "warning", "info"], "warning"],
    [["warning", "critical", "info"], "critical"],
  ])("of the remarks %j gives the worst: %j", (severities, worst) => {
    expect(summarizeRun(runOf([], severities)).worstRemark).toBe(worst);
  });

  test.each<{ what: string; change: Partial<MetricResult>; progress: object | null }>([
    { what: "of a row without a forecast", change: { daysToGo: null }, progress: null },
    { what: "of a run older than forecasts", change: { daysToGo: undefined! }, progress: null },
    { what: "of a row without a spread", change: { mde: null, daysToGo: toGo(3) }, progress: null },
    {
      what: "with a quarter of the users",
      change: { daysToGo: toGo(9) },
      progress: { share: 0.25, daysToGo: 9 },
    },
    { what: "without an end", change: { daysToGo: toGo(null) }, progress: { share: 0.25, daysToGo: null } },
    { what: "at the end", change: { mde: 1.01, daysToGo: toGo(0) }, progress: { share: 1, daysToGo: 0 } },
    {
      what: "never over the end",
      change: { mde: 0.5, daysToGo: toGo(1) },
      progress: { share: 1, daysToGo: 1 },
    },
    {
      what: "without any error",
      change: { mde: 0, daysToGo: toGo(1, 0) },
      progress: { share: 1, daysToGo: 1 },
    },
  ])("knows the progress $what", ({ change, progress }) => {
    expect(summarizeRun(runOf([rowOf(change)])).rows[0]?.progress).toEqual(progress);
  });
});
