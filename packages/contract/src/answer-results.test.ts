import type { Day, MetricResult, Tradeoff } from "@assay/domain";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { completeRun, type StoredResults } from "./answer-results.ts";
import { ResultsSchema } from "./schemas/results.ts";
import { toWire } from "./wire.ts";

/** A row as the first version stored it. */
const oldRow = {
  metric: "bought",
  metricVersion: 1,
  treatment: "b",
  control: "a",
  role: "primary",
  desired: "increase",
  test: "two_proportion_z",
  statistic: 2,
  pValue: 0.04,
  pValueFdr: 0.08,
  significant: false,
  verdict: "inconclusive",
  controlValue: 0.1,
  treatmentValue: 0.2,
  effect: 0.1,
  ciLow: 0,
  ciHigh: 0.2,
  relativeEffect: 1,
  relativeCiLow: null,
  relativeCiHigh: null,
  ciSeqLow: -0.1,
  ciSeqHigh: 0.3,
  pValueSeq: 0.3,
  mde: 0.14,
  nPerArm: { a: 100, b: 110 },
  eventsPerArm: { a: 100, b: 110 },
  srmP: 0.5,
  permutationsUsed: 0,
  sampleCapUsed: 0,
  windowDays: 7,
  retentionTruncated: false,
  preliminary: false,
  distribution: { a: { binEdges: [-0.5, 0.5, 1.5], counts: [90, 10] } },
} as const;

const oldRun: StoredResults = {
  experimentId: "00000000-0000-7000-8000-000000000000",
  version: 1,
  computedFor: "2026-11-20",
  preliminary: false,
  computedAt: 0,
  window: { from: 0, to: 1 },
  srm: {
    status: "passed",
    pValue: 0.5,
    threshold: 0.001,
    observed: { a: 100, b: 110 },
    expected: { a: 0.5, b: 0.5 },
  },
  results: { "bought::b": oldRow },
  health: [],
};

const schema = Compile(ResultsSchema);
const toWireResults = (run: StoredResults, availableDays: readonly string[]) =>
  toWire(ResultsSchema, { ...completeRun(run), revision: 1, revisions: [1], availableDays });

test("a run stored before the newer fields existed is served with the values that applied then", () => {
  const wire = toWireResults(oldRun, ["2026-11-20"]);
  expect([...schema.Errors(wire)]).toEqual([]);
  expect(wire).toMatchObject({
    seed: null,
    code_version: "",
    price_list: null,
    srm: { p_value: 0.5, p_value_seq: null },
  });
  expect(wire.results["bought::b"]).toMatchObject({
    p_value: 0.04,
    p_floor: false,
    standard_error: null,
    ci_selected_low: null,
    ci_selected_high: null,
    p_value_seq_fdr: null,
    mde_corrected: null,
    users_for_skew: null,
    days_to_go: null,
    cuped: null,
    shift: null,
    n_total_per_arm: { a: 100, b: 110 },
    periods: 1,
    judge: null,
    non_inferiority: null,
  });
  expect(wire.results["bought::b"]).not.toHaveProperty("users_per_arm");
  expect(wire.tradeoffs).toEqual([]);
});

test("every field of a run of this version reaches the wire", () => {
  const row: MetricResult = {
    ...oldRow,
    pFloor: true,
    standardError: 0.05,
    ciSelectedLow: -0.02,
    ciSelectedHigh: 0.22,
    pValueSeqFdr: 0.4,
    mdeCorrected: 0.2,
    usersForSkew: 900,
    daysToGo: { targetEffect: 0.005, days: 40, daysLow: 30, daysHigh: null },
    cuped: { theta: 0.8, coverage: 0.9, varianceReduction: 0.3 },
    shift: 2,
    usersPerArm: { a: 40, b: 44 },
    nTotalPerArm: { a: 1000, b: 1100 },
    periods: 2,
    judge: {
      version: "m@0123456789abcdef",
      scale: "pass_fail",
      judgedPerArm: { a: 200, b: 210 },
      labelsPerArm: { a: 60, b: 61 },
      probabilityLow: 0.1,
      probabilityHigh: 0.5,
      retestSd: 0.2,
      calibrated: true,
      lambda: { a: 0.8, b: 0.9 },
      uncalibrated: {
        test: "ratio_delta",
        pValue: 0.01,
        controlValue: 0.7,
        treatmentValue: 0.8,
        effect: 0.1,
        ciLow: 0.02,
        ciHigh: null,
      },
    },
    nonInferiority: { margin: 0.02, worstLoss: 0.01, isNotWorse: true, isNotWorseSeq: false },
  };
  const tradeoff: Tradeoff = {
    treatment: "b",
    verdict: "cheaper-and-not-worse",
    saving: {
      metric: "cost",
      usdPer1000Users: 4.1,
      ciLow: 3.2,
      ciHigh: 5,
      relativeEffect: -0.18,
      relativeCiLow: -0.22,
      relativeCiHigh: null,
    },
    notWorse: [{ metric: "bought", margin: 0.02, worstLoss: 0.01, isJudgeOpinion: true }],
    isSettled: true,
  };
  const srm = { ...oldRun.srm, pValueSeq: 0.9 };
  const run: StoredResults = {
    ...oldRun,
    srm,
    seed: 7,
    codeVersion: "0.2.0",
    priceList: { asOf: "2026-11-01" as Day, fingerprint: "0123456789abcdef" },
    results: { "bought::b": row },
    tradeoffs: [tradeoff],
  };
  const wire = toWireResults(run, []);
  expect([...schema.Errors(wire)]).toEqual([]);
  expect(wire).toMatchObject({
    seed: 7,
    code_version: "0.2.0",
    price_list: { as_of: "2026-11-01", fingerprint: "0123456789abcdef" },
    srm: { p_value_seq: 0.9 },
  });
  expect(wire.results["bought::b"]).toMatchObject({
    p_floor: true,
    standard_error: 0.05,
    ci_selected_low: -0.02,
    ci_selected_high: 0.22,
    p_value_seq_fdr: 0.4,
    mde_corrected: 0.2,
    users_for_skew: 900,
    days_to_go: { target_effect: 0.005, days: 40, days_low: 30, days_high: null },
    cuped: { theta: 0.8, coverage: 0.9, variance_reduction: 0.3 },
    shift: 2,
    n_per_arm: { a: 100, b: 110 },
    users_per_arm: { a: 40, b: 44 },
    n_total_per_arm: { a: 1000, b: 1100 },
    periods: 2,
    judge: {
      version: "m@0123456789abcdef",
      scale: "pass_fail",
      judged_per_arm: { a: 200, b: 210 },
      labels_per_arm: { a: 60, b: 61 },
      probability_low: 0.1,
      probability_high: 0.5,
      retest_sd: 0.2,
      calibrated: true,
      lambda: { a: 0.8, b: 0.9 },
      uncalibrated: {
        test: "ratio_delta",
        p_value: 0.01,
        control_value: 0.7,
        treatment_value: 0.8,
        effect: 0.1,
        ci_low: 0.02,
        ci_high: null,
      },
    },
    non_inferiority: { margin: 0.02, worst_loss: 0.01, is_not_worse: true, is_not_worse_seq: false },
  });
  expect(wire.tradeoffs).toEqual([
    {
      treatment: "b",
      verdict: "cheaper-and-not-worse",
      saving: {
        metric: "cost",
        usd_per_1000_users: 4.1,
        ci_low: 3.2,
        ci_high: 5,
        relative_effect: -0.18,
        relative_ci_low: -0.22,
        relative_ci_high: null,
      },
      not_worse: [{ metric: "bought", margin: 0.02, worst_loss: 0.01, is_judge_opinion: true }],
      is_settled: true,
    },
  ]);
});
