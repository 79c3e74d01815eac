import {
  type CovariateAdjustment,
  type DaysToGo,
  type Distribution,
  type ExperimentResults,
  type HealthEntry,
  type JudgeMark,
  type MetricResult,
  type NonInferiority,
  type PriceListMark,
  type SrmGate,
  type Tradeoff,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type { PriceListMarkSchema } from "./schemas/prices.ts";
import type {
  MetricResultSchema,
  ResultsSchema,
  TradeoffSchema,
  Distribution as WireDistribution,
} from "./schemas/results.ts";
import { HISTORY_FIELDS, type ResultsHistory } from "./schemas/runs.ts";

type WireResults = Static<typeof ResultsSchema>;
type WireRow = Static<typeof MetricResultSchema>;
type WireNight = Static<typeof ResultsHistory>["runs"][number];

/** What rows stored before these fields existed had: no adjustment, no permutations, one period. */
const BEFORE = {
  pFloor: false,
  standardError: null,
  ciSelectedLow: null,
  ciSelectedHigh: null,
  pValueSeqFdr: null,
  mdeCorrected: null,
  daysToGo: null,
  cuped: null,
  shift: null,
  periods: 1,
  judge: null,
  nonInferiority: null,
} satisfies Partial<MetricResult>;

type Later = keyof typeof BEFORE | "nTotalPerArm";
type StoredRow = Omit<MetricResult, Later> & Partial<Pick<MetricResult, Later>>;

/** A run as it was stored, by this version or an older one. */
export interface StoredResults
  extends Omit<ExperimentResults, "results" | "srm" | "seed" | "codeVersion" | "priceList" | "tradeoffs"> {
  readonly srm: Omit<SrmGate, "pValueSeq"> & { readonly pValueSeq?: number };
  readonly seed?: number;
  readonly codeVersion?: string;
  readonly priceList?: PriceListMark;
  readonly tradeoffs?: readonly Tradeoff[];
  readonly results: Readonly<Record<string, StoredRow>>;
}

/** Writes a run's results as the wire has them, with the labels that can be asked for. */
export function toWireResults(run: StoredResults, availableDays: readonly string[]): WireResults {
  return {
    experiment_id: run.experimentId,
    version: run.version,
    computed_for: run.computedFor,
    available_days: [...availableDays],
    preliminary: run.preliminary,
    computed_at: toInstant(run.computedAt),
    seed: run.seed ?? null,
    code_version: run.codeVersion ?? "",
    price_list: run.priceList ? toWirePriceList(run.priceList) : null,
    window: {
      from: run.window.from === null ? null : toInstant(run.window.from),
      to: toInstant(run.window.to),
    },
    srm: {
      status: run.srm.status,
      p_value: run.srm.pValue,
      p_value_seq: run.srm.pValueSeq ?? null,
      threshold: run.srm.threshold,
      observed: { ...run.srm.observed },
      expected: { ...run.srm.expected },
    },
    results: Object.fromEntries(Object.entries(run.results).map(([key, row]) => [key, toWireRow(row)])),
    tradeoffs: (run.tradeoffs ?? []).map(toWireTradeoff),
    health: run.health.map((entry: HealthEntry) => ({ ...entry })),
  };
}

/** Writes a nightly run for the series of all nights: its rows without what only one run's page shows. */
export function toWireHistoryRun(run: StoredResults): WireNight {
  const { srm } = run;
  return {
    computed_for: run.computedFor,
    computed_at: toInstant(run.computedAt),
    version: run.version,
    srm: {
      status: srm.status,
      p_value: srm.pValue,
      p_value_seq: srm.pValueSeq ?? null,
      threshold: srm.threshold,
    },
    results: Object.fromEntries(
      Object.entries(run.results).map(([key, row]) => [
        key,
        pickHistory(toWireRow({ ...row, distribution: {} })),
      ]),
    ),
  };
}

function pickHistory(row: WireRow): WireNight["results"][string] {
  const picked = HISTORY_FIELDS.map((field) => [field, row[field]]);
  return Object.fromEntries(picked) as WireNight["results"][string];
}

/** Writes which prices were used as the wire has it. */
export function toWirePriceList({ asOf, fingerprint }: PriceListMark): Static<typeof PriceListMarkSchema> {
  return { as_of: asOf, fingerprint };
}

/** Writes a distribution as the wire has it. */
export function toWireDistribution({ binEdges, counts }: Distribution): Static<typeof WireDistribution> {
  return { bin_edges: [...binEdges], counts: [...counts] };
}

function toWireRow(stored: StoredRow): WireRow {
  const row = { ...BEFORE, nTotalPerArm: stored.nPerArm, ...stored };
  return {
    metric: row.metric,
    metric_version: row.metricVersion,
    treatment: row.treatment,
    control: row.control,
    role: row.role,
    desired: row.desired,
    test: row.test,
    statistic: row.statistic,
    p_value: row.pValue,
    p_value_fdr: row.pValueFdr,
    p_floor: row.pFloor,
    significant: row.significant,
    verdict: row.verdict,
    control_value: row.controlValue,
    treatment_value: row.treatmentValue,
    effect: row.effect,
    ci_low: row.ciLow,
    ci_high: row.ciHigh,
    standard_error: row.standardError,
    ci_selected_low: row.ciSelectedLow,
    ci_selected_high: row.ciSelectedHigh,
    relative_effect: row.relativeEffect,
    relative_ci_low: row.relativeCiLow,
    relative_ci_high: row.relativeCiHigh,
    ci_seq_low: row.ciSeqLow,
    ci_seq_high: row.ciSeqHigh,
    p_value_seq: row.pValueSeq,
    p_value_seq_fdr: row.pValueSeqFdr,
    mde: row.mde,
    mde_corrected: row.mdeCorrected,
    days_to_go: toWireDaysToGo(row.daysToGo),
    cuped: toWireCuped(row.cuped),
    shift: row.shift,
    n_per_arm: { ...row.nPerArm },
    n_total_per_arm: { ...row.nTotalPerArm },
    periods: row.periods,
    events_per_arm: { ...row.eventsPerArm },
    srm_p: row.srmP,
    permutations_used: row.permutationsUsed,
    sample_cap_used: row.sampleCapUsed,
    window_days: row.windowDays,
    retention_truncated: row.retentionTruncated,
    preliminary: row.preliminary,
    distribution: Object.fromEntries(
      Object.entries(row.distribution).map(([arm, distribution]) => [arm, toWireDistribution(distribution)]),
    ),
    judge: row.judge && toWireJudgeMark(row.judge),
    non_inferiority: row.nonInferiority && toWireNonInferiority(row.nonInferiority),
  };
}

function toWireJudgeMark({ uncalibrated, lambda, ...mark }: JudgeMark): WireRow["judge"] {
  return {
    version: mark.version,
    scale: mark.scale,
    judged_per_arm: { ...mark.judgedPerArm },
    labels_per_arm: { ...mark.labelsPerArm },
    probability_low: mark.probabilityLow,
    probability_high: mark.probabilityHigh,
    retest_sd: mark.retestSd,
    calibrated: mark.calibrated,
    lambda: lambda && { ...lambda },
    uncalibrated: uncalibrated && {
      test: uncalibrated.test,
      p_value: uncalibrated.pValue,
      control_value: uncalibrated.controlValue,
      treatment_value: uncalibrated.treatmentValue,
      effect: uncalibrated.effect,
      ci_low: uncalibrated.ciLow,
      ci_high: uncalibrated.ciHigh,
    },
  };
}

function toWireNonInferiority(of: NonInferiority): WireRow["non_inferiority"] {
  return {
    margin: of.margin,
    worst_loss: of.worstLoss,
    is_not_worse: of.isNotWorse,
    is_not_worse_seq: of.isNotWorseSeq,
  };
}

/** Writes the verdict "cheaper and not worse" as the wire has it. */
export function toWireTradeoff({ saving, notWorse, ...tradeoff }: Tradeoff): Static<typeof TradeoffSchema> {
  return {
    treatment: tradeoff.treatment,
    verdict: tradeoff.verdict,
    saving: {
      metric: saving.metric,
      usd_per_1000_users: saving.usdPer1000Users,
      ci_low: saving.ciLow,
      ci_high: saving.ciHigh,
      relative_effect: saving.relativeEffect,
      relative_ci_low: saving.relativeCiLow,
      relative_ci_high: saving.relativeCiHigh,
    },
    not_worse: notWorse.map(({ metric, margin, worstLoss, isJudgeOpinion }) => ({
      metric,
      margin,
      worst_loss: worstLoss,
      is_judge_opinion: isJudgeOpinion,
    })),
    is_settled: tradeoff.isSettled,
  };
}

function toWireDaysToGo(toGo: DaysToGo | null): WireRow["days_to_go"] {
  if (toGo === null) return null;
  const { targetEffect, days, daysLow, daysHigh } = toGo;
  return { target_effect: targetEffect, days, days_low: daysLow, days_high: daysHigh };
}

function toWireCuped(cuped: CovariateAdjustment | null): WireRow["cuped"] {
  if (cuped === null) return null;
  const { theta, coverage, varianceReduction } = cuped;
  return { theta, coverage, variance_reduction: varianceReduction };
}
