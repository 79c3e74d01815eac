import type { DecisionStatus } from "./decision-status.ts";
import type {
  ExperimentResults,
  HealthEntry,
  MetricResult,
  NonInferiority,
  SrmGate,
  Tradeoff,
  WithholdingCheck,
} from "./results.ts";

/** How close a row is to finding its target effect. */
export interface Progress {
  /**
   * Share of the precision that the target effect needs, 0 to 1. It grows in proportion to the
   * number of users.
   */
  readonly share: number;
  /** 0 when the precision is reached; null when it takes more than ten years. */
  readonly daysToGo: number | null;
}

/** The fields of a row that lists show. */
export interface RowSummary
  extends Pick<
    MetricResult,
    | "metric"
    | "treatment"
    | "role"
    | "desired"
    | "effect"
    | "ciLow"
    | "ciHigh"
    | "relativeEffect"
    | "relativeCiLow"
    | "relativeCiHigh"
    | "pValue"
    | "pValueFdr"
    | "pValueSeqFdr"
    | "significant"
    | "verdict"
  > {
  /** Null when unknown. Only processes of the previous version read it. */
  readonly progress: Progress | null;
  /** Null when the metric has no margin. */
  readonly nonInferiority: NonInferiority | null;
}

/**
 * The fields of a run that lists show. They are stored separately from the body, which is several times
 * as large.
 */
export interface RunSummary {
  readonly srmStatus: SrmGate["status"];
  /** Absent in runs from before there were several. */
  readonly withheldBy?: WithholdingCheck | null;
  readonly worstRemark: HealthEntry["severity"] | null;
  readonly rows: readonly RowSummary[];
  readonly tradeoffs: readonly Tradeoff[];
  /** Null when the run has no decision, or is older than decision plans. */
  readonly decision: DecisionSummary | null;
}

/** The fields of a run's decision that lists show. */
export type DecisionSummary = Omit<DecisionStatus, "evidence" | "expectedUsers" | "planChanges">;

const SEVERITIES = ["critical", "warning", "info"] as const satisfies readonly HealthEntry["severity"][];

/** Reduces a run to what lists show. Accepts runs of older versions. */
export function summarizeRun({
  srm,
  withheldBy,
  health,
  results,
  tradeoffs,
  decision,
}: Pick<ExperimentResults, "srm" | "health" | "results"> &
  Partial<Pick<ExperimentResults, "withheldBy" | "tradeoffs" | "decision">>): RunSummary {
  return {
    srmStatus: srm.status,
    withheldBy: withheldBy ?? null,
    worstRemark: SEVERITIES.find((severity) => health.some((entry) => entry.severity === severity)) ?? null,
    rows: Object.values(results).map(summarizeRow),
    tradeoffs: tradeoffs ?? [],
    decision: decision ? summarizeDecision(decision) : null,
  };
}

function summarizeDecision({
  evidence: _evidence,
  expectedUsers: _users,
  planChanges: _changes,
  ...summary
}: DecisionStatus): DecisionSummary {
  return summary;
}

function summarizeRow(row: MetricResult): RowSummary {
  return {
    metric: row.metric,
    treatment: row.treatment,
    role: row.role,
    desired: row.desired,
    effect: row.effect,
    ciLow: row.ciLow,
    ciHigh: row.ciHigh,
    relativeEffect: row.relativeEffect,
    relativeCiLow: row.relativeCiLow,
    relativeCiHigh: row.relativeCiHigh,
    pValue: row.pValue,
    pValueFdr: row.pValueFdr,
    pValueSeqFdr: row.pValueSeqFdr,
    significant: row.significant,
    verdict: row.verdict,
    progress: progressOf(row),
    // Absent in runs from before margins were judged.
    nonInferiority: row.nonInferiority ?? null,
  };
}

/**
 * The standard error, and with it the smallest detectable effect, shrinks with the square root of the users (statistics
 * §7).
 */
function progressOf({ daysToGo, mde }: MetricResult): Progress | null {
  // Absent in runs from before forecasts existed.
  if (!daysToGo || mde === null) return null;
  const { days, targetEffect } = daysToGo;
  const share = days === 0 || mde === 0 ? 1 : Math.min(1, (targetEffect / mde) ** 2);
  return { share, daysToGo: days };
}
