import type { DecisionStatus } from "./decision-status.ts";
import type {
  ExperimentResults,
  HealthEntry,
  MetricResult,
  NonInferiority,
  SrmGate,
  Tradeoff,
} from "./results.ts";

/** How far a row is from finding its target effect. */
export interface Progress {
  /** Of the precision that the target effect needs, 0 to 1: grows as the number of users does. */
  readonly share: number;
  /** 0: it is there; null: not within ten years. */
  readonly daysToGo: number | null;
}

/** What lists need of a row. */
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
  /** Null: not known. Processes of the version before read it. */
  readonly progress: Progress | null;
  /** Null: the metric has no margin. */
  readonly nonInferiority: NonInferiority | null;
}

/** What lists need of a run, kept beside its body, which is several times as large. */
export interface RunSummary {
  readonly srmStatus: SrmGate["status"];
  readonly worstRemark: HealthEntry["severity"] | null;
  readonly rows: readonly RowSummary[];
  readonly tradeoffs: readonly Tradeoff[];
  /** Null: the run has none, or is from before there were plans. */
  readonly decision: DecisionSummary | null;
}

/** What lists need of a run's decision. */
export type DecisionSummary = Omit<DecisionStatus, "evidence" | "expectedUsers" | "planChanges">;

const SEVERITIES = ["critical", "warning", "info"] as const satisfies readonly HealthEntry["severity"][];

/** Keeps of a run what lists need. Takes runs of older versions too. */
export function summarizeRun({
  srm,
  health,
  results,
  tradeoffs,
  decision,
}: Pick<ExperimentResults, "srm" | "health" | "results"> &
  Partial<Pick<ExperimentResults, "tradeoffs" | "decision">>): RunSummary {
  return {
    srmStatus: srm.status,
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
    // Runs from before margins were judged have none.
    nonInferiority: row.nonInferiority ?? null,
  };
}

/** The standard error shrinks with the root of the users, and the smallest detectable effect with it (statistics §7). */
function progressOf({ daysToGo, mde }: MetricResult): Progress | null {
  // Runs from before there were forecasts have none.
  if (!daysToGo || mde === null) return null;
  const { days, targetEffect } = daysToGo;
  const share = days === 0 || mde === 0 ? 1 : Math.min(1, (targetEffect / mde) ** 2);
  return { share, daysToGo: days };
}
