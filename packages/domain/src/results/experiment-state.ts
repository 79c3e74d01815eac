import type { Decision, ExperimentStatus } from "../experiment/config.ts";
import type { PipelineRun, SummarizedRun } from "../ports/results.ts";
import { DAY_MS, type Day, endOfDay } from "../time/day.ts";
import type { RowKey } from "./decision-status.ts";
import type { Progress, RowSummary, RunSummary } from "./run-summary.ts";

/** Where an experiment stands, for lists and page headers. */
export const EXPERIMENT_STATES = [
  "draft",
  "held",
  "no-traffic",
  "collecting",
  "failed",
  "withheld",
  "traces-lost",
  "data-fault",
  "guardrail-failing",
  "running",
  "winning",
  "better-guardrail-open",
  "mixed",
  "losing",
  "ready-to-decide",
  "no-difference",
  "stopped",
  "stopped-won",
  "stopped-lost",
  "stopped-inconclusive",
  "stopped-invalid",
  "shipped",
  "archived",
] as const;
export type ExperimentState = (typeof EXPERIMENT_STATES)[number];

/** The facts from which an experiment's state is derived. Instants in epoch milliseconds. */
export interface ExperimentFacts {
  readonly status: ExperimentStatus;
  /** Nobody gets a variant, although the status is running. */
  readonly isHeld: boolean;
  readonly isDemo: boolean;
  readonly decision: Decision | null;
  /** Names of the metrics that are configured to decide. */
  readonly primaryMetrics: readonly string[];
  /** When the latest version was created. */
  readonly changedAt: number;
  readonly exposures: number;
  readonly lastExposureOn: Day | null;
  /** The run of the default view. */
  readonly lastRun: (RunSummary & Pick<SummarizedRun, "computedAt" | "windowTo" | "preliminary">) | null;
  /** Outcome of the pipeline for the newest day. */
  readonly lastNight: Pick<PipelineRun, "outcome" | "finishedAt"> | null;
}

const NO_ROWS: readonly RowSummary[] = [];
/** Data and analyses come daily, so one missed night is no reason to warn. */
const STALE_MS = 2 * DAY_MS;

/** Returns the state of an experiment. A hold comes first; faults in the data take precedence over the decision plan. */
export function experimentState(facts: ExperimentFacts): ExperimentState {
  const { status, isHeld, decision, lastRun, lastNight } = facts;
  if (status === "draft" || status === "shipped" || status === "archived") return status;
  if (status === "stopped") return decision === null ? "stopped" : `stopped-${decision.outcome}`;
  if (isHeld) return "held";
  if (lastRun?.srmStatus === "halted") return "withheld";
  if (lastRun?.withheldBy === "lost-traces") return "traces-lost";
  const rows = lastRun?.rows ?? NO_ROWS;
  if (rows.length === 0 && lastNight?.outcome === "failed") return "failed";
  // A critical remark means that the rows cannot be trusted (docs/attribution.md).
  if (rows.length > 0 && lastRun?.worstRemark === "critical") return "data-fault";
  const planned = lastRun?.decision?.state ?? "running";
  if (planned === "guardrail-failing") return planned;
  if (decisiveRows(facts).length === 0) return facts.exposures > 0 ? "collecting" : "no-traffic";
  return planned;
}

/**
 * Lists the rows that the decision rests on, as `decidingRows` does. Empty while the primary metrics have no row yet.
 */
export function decisiveRows(
  facts: Pick<ExperimentFacts, "lastRun" | "primaryMetrics">,
): readonly RowSummary[] {
  const rows = facts.lastRun?.rows ?? NO_ROWS;
  const isPrimaryAwaited = isAwaited(facts) && !rows.some(({ role }) => role === "primary");
  return isPrimaryAwaited ? [] : decidingRows(rows);
}

/**
 * Picks the deciding rows: rows of primary metrics. If there are none, all rows except guardrails; if there are only
 * guardrails, these.
 */
export function decidingRows<Row extends Pick<RowSummary, "role">>(rows: readonly Row[]): readonly Row[] {
  const primary = rows.filter(({ role }) => role === "primary");
  if (primary.length > 0) return primary;
  const others = rows.filter(({ role }) => role !== "guardrail");
  return others.length > 0 ? others : rows;
}

/** Whether a primary metric has no row yet. */
function isAwaited({
  lastRun,
  primaryMetrics,
}: Pick<ExperimentFacts, "lastRun" | "primaryMetrics">): boolean {
  const known = new Set((lastRun?.rows ?? NO_ROWS).map(({ metric }) => metric));
  return primaryMetrics.some((name) => !known.has(name));
}

/** Lists the failing guardrails, by evidence that holds at any look. */
export function failingGuardrails(lastRun: ExperimentFacts["lastRun"]): readonly RowKey[] {
  const roles = new Map(
    (lastRun?.rows ?? NO_ROWS).map((row) => [`${row.metric}::${row.treatment}`, row.role]),
  );
  const alarms = lastRun?.decision?.alarms ?? [];
  return alarms.filter(({ metric, treatment }) => roles.get(`${metric}::${treatment}`) === "guardrail");
}

/** Picks the decisive row with the smallest p-value; null when there are none. */
export function leadingRow(decisive: readonly RowSummary[]): RowSummary | null {
  return decisive.reduce<RowSummary | null>(
    (best, row) => (best === null || row.pValue < best.pValue ? row : best),
    null,
  );
}

/**
 * Returns how far the decision is: the share of the planned information, and the days to the planned end. Null when
 * unknown.
 */
export function decisionProgress({ lastRun }: Pick<ExperimentFacts, "lastRun">): Progress | null {
  const decision = lastRun?.decision ?? null;
  if (lastRun === null || decision === null) return null;
  const daysToGo = Math.max(0, Math.ceil((decision.plannedEnd - lastRun.windowTo) / DAY_MS));
  return { share: decision.information, daysToGo: decision.decidedOn === null ? daysToGo : 0 };
}

/** Returns whether a running experiment has had no exposures or no analyses for two days. Demo and held experiments are never stale. */
export function isStale(
  { status, isHeld, isDemo, lastExposureOn, lastRun, lastNight }: ExperimentFacts,
  now: number,
): boolean {
  if (status !== "running" || isHeld || isDemo) return false;
  const isOld = (at: number) => at < now - STALE_MS;
  // A night that finds too little to analyze stores no run, but it shows that the pipeline works.
  const night = lastNight?.outcome === "failed" ? null : (lastNight?.finishedAt ?? null);
  const analysedAt = [lastRun?.computedAt ?? null, night].filter((at) => at !== null);
  return (
    (analysedAt.length > 0 && analysedAt.every(isOld)) ||
    (lastExposureOn !== null && isOld(endOfDay(lastExposureOn)))
  );
}

const ATTENTION: ReadonlySet<ExperimentState> = new Set([
  "held",
  "withheld",
  "traces-lost",
  "data-fault",
  "failed",
  "guardrail-failing",
  "losing",
  "better-guardrail-open",
  "mixed",
  "ready-to-decide",
  "no-difference",
]);

/** Returns whether somebody should act: find a cause, or decide. A change gets a day to show in the traffic. */
export function needsAttention(facts: ExperimentFacts, now: number): boolean {
  if (facts.status !== "running") return false;
  const state = experimentState(facts);
  if (ATTENTION.has(state) || facts.lastNight?.outcome === "failed") return true;
  return now - facts.changedAt > DAY_MS && (state === "no-traffic" || isStale(facts, now));
}
