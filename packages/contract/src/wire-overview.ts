import {
  type Creator,
  decisionProgress,
  decisiveRows,
  type Experiment,
  type ExperimentFacts,
  type ExposureCount,
  experimentState,
  failingGuardrails,
  isStale,
  leadingRow,
  needsAttention,
  type PipelineRun,
  type Progress,
  type RowSummary,
  type SummarisedRun,
  toInstant,
} from "@assay/domain";
import type { Static } from "typebox";
import type { ExperimentOverview } from "./schemas/overview.ts";
import { toWireTradeoff } from "./wire-results.ts";

type WireOverview = Static<typeof ExperimentOverview>;

/** What is known of an experiment besides its config. */
export interface OverviewParts {
  /** Null: not known, or not a user any more. */
  readonly createdBy: Creator | null;
  readonly counts: readonly ExposureCount[];
  /** The run computed last. */
  readonly lastRun: SummarisedRun | null;
  readonly lastNight: PipelineRun | null;
}

/** Writes where an experiment stands as the wire has it. */
export function toWireOverview(experiment: Experiment, parts: OverviewParts, now: number): WireOverview {
  const { config } = experiment;
  const { createdBy, counts, lastRun, lastNight } = parts;
  const facts = factsOf(experiment, parts);
  return {
    id: experiment.id,
    name: config.name,
    status: config.status,
    version: experiment.version,
    is_demo: experiment.isDemo,
    control: config.control,
    variants: config.variants.map(({ key }) => key),
    created_at: toInstant(experiment.createdAt),
    updated_at: toInstant(experiment.updatedAt),
    created_by: createdBy,
    state: experimentState(facts),
    needs_attention: needsAttention(facts, now),
    is_stale: isStale(facts, now),
    users: Object.fromEntries([
      ...config.variants.map(({ key }) => [key, 0]),
      ...counts.map(({ variant, users }) => [variant, users]),
    ]),
    exposures: facts.exposures,
    last_exposure_on: facts.lastExposureOn,
    primary: toWirePrimary(leadingRow(decisiveRows(facts))),
    failing_guardrails: failingGuardrails(lastRun?.summary.rows ?? []).map(({ metric, treatment }) => ({
      metric,
      treatment,
    })),
    progress: toWireProgress(decisionProgress(facts)),
    tradeoffs: (lastRun?.summary.tradeoffs ?? []).map(toWireTradeoff),
    worst_remark: lastRun?.summary.worstRemark ?? null,
    last_run: lastRun && {
      computed_for: lastRun.label,
      computed_at: toInstant(lastRun.computedAt),
      preliminary: lastRun.preliminary,
      srm_status: lastRun.summary.srmStatus,
    },
    last_night: lastNight && toWireNight(lastNight),
    decision: config.decision && { outcome: config.decision.outcome, variant: config.decision.variant },
  };
}

function factsOf(
  { config, isDemo, updatedAt }: Experiment,
  { counts, lastRun, lastNight }: OverviewParts,
): ExperimentFacts {
  const days = counts.map(({ lastOn }) => lastOn).sort();
  return {
    status: config.status,
    isDemo,
    decision: config.decision,
    primaryMetrics: config.metrics.filter(({ role }) => role === "primary").map(({ name }) => name),
    changedAt: updatedAt,
    exposures: counts.reduce((sum, { exposures }) => sum + exposures, 0),
    lastExposureOn: days.at(-1) ?? null,
    lastRun: lastRun && {
      ...lastRun.summary,
      computedAt: lastRun.computedAt,
      preliminary: lastRun.preliminary,
    },
    lastNight,
  };
}

function toWirePrimary(row: RowSummary | null): WireOverview["primary"] {
  return (
    row && {
      metric: row.metric,
      treatment: row.treatment,
      desired: row.desired,
      effect: row.effect,
      ci_low: row.ciLow,
      ci_high: row.ciHigh,
      relative_effect: row.relativeEffect,
      relative_ci_low: row.relativeCiLow,
      relative_ci_high: row.relativeCiHigh,
      p_value_fdr: row.pValueFdr,
      significant: row.significant,
      verdict: row.verdict,
    }
  );
}

function toWireProgress(progress: Progress | null): WireOverview["progress"] {
  return progress && { share: progress.share, days_to_go: progress.daysToGo };
}

/** Writes what the nightly pipeline did for a day as lists have it. */
export function toWireNight({ day, outcome, finishedAt, detail }: PipelineRun) {
  return { day, outcome, finished_at: finishedAt === null ? null : toInstant(finishedAt), detail };
}
