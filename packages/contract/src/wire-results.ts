import {
  type Distribution,
  type ExperimentResults,
  type HealthEntry,
  type MetricResult,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type {
  MetricResultSchema,
  ResultsSchema,
  Distribution as WireDistribution,
} from "./schemas/results.ts";

type WireResults = Static<typeof ResultsSchema>;

/** Writes a run's results as the wire has them, with the labels that can be asked for. */
export function toWireResults(run: ExperimentResults, availableDays: readonly string[]): WireResults {
  return {
    experiment_id: run.experimentId,
    version: run.version,
    computed_for: run.computedFor,
    available_days: [...availableDays],
    preliminary: run.preliminary,
    computed_at: toInstant(run.computedAt),
    window: {
      from: run.window.from === null ? null : toInstant(run.window.from),
      to: toInstant(run.window.to),
    },
    srm: {
      status: run.srm.status,
      p_value: run.srm.pValue,
      threshold: run.srm.threshold,
      observed: { ...run.srm.observed },
      expected: { ...run.srm.expected },
    },
    results: Object.fromEntries(Object.entries(run.results).map(([key, row]) => [key, toWireRow(row)])),
    health: run.health.map((entry: HealthEntry) => ({ ...entry })),
  };
}

/** Writes a distribution as the wire has it. */
export function toWireDistribution({ binEdges, counts }: Distribution): Static<typeof WireDistribution> {
  return { bin_edges: [...binEdges], counts: [...counts] };
}

function toWireRow(row: MetricResult): Static<typeof MetricResultSchema> {
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
    significant: row.significant,
    verdict: row.verdict,
    control_value: row.controlValue,
    treatment_value: row.treatmentValue,
    effect: row.effect,
    ci_low: row.ciLow,
    ci_high: row.ciHigh,
    relative_effect: row.relativeEffect,
    relative_ci_low: row.relativeCiLow,
    relative_ci_high: row.relativeCiHigh,
    ci_seq_low: row.ciSeqLow,
    ci_seq_high: row.ciSeqHigh,
    p_value_seq: row.pValueSeq,
    mde: row.mde,
    n_per_arm: { ...row.nPerArm },
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
  };
}
