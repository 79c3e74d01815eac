import { ALPHA } from "@assay/stats";
import type { Decision, ExperimentStatus } from "../experiment/config.ts";
import type { PipelineRun } from "../ports/results.ts";
import { DAY_MS, type Day, endOfDay } from "../time/day.ts";
import type { Progress, RowSummary, RunSummary } from "./run-summary.ts";

/** Where an experiment stands, for lists and heads of pages. */
export const EXPERIMENT_STATES = [
  "draft",
  "no-traffic",
  "collecting",
  "failed",
  "withheld",
  "data-fault",
  "guardrail-failing",
  "running",
  "winning",
  "losing",
  "ready-to-decide",
  "no-difference",
  "stopped",
  "stopped-won",
  "stopped-lost",
  "stopped-inconclusive",
  "stopped-invalid",
  "archived",
] as const;
export type ExperimentState = (typeof EXPERIMENT_STATES)[number];

/** What the state of an experiment is derived from. Instants in epoch milliseconds. */
export interface ExperimentFacts {
  readonly status: ExperimentStatus;
  readonly isDemo: boolean;
  readonly decision: Decision | null;
  /** Names of the metrics that are configured to decide. */
  readonly primaryMetrics: readonly string[];
  /** When the latest version was minted. */
  readonly changedAt: number;
  readonly exposures: number;
  readonly lastExposureOn: Day | null;
  /** The run of the default view. */
  readonly lastRun: (RunSummary & { readonly computedAt: number; readonly preliminary: boolean }) | null;
  /** What the pipeline did for the newest day. */
  readonly lastNight: Pick<PipelineRun, "outcome" | "finishedAt"> | null;
}

const NO_ROWS: readonly RowSummary[] = [];
/** Data and analyses come daily: one missed night is not worth a word. */
const STALE_MS = 2 * DAY_MS;

/** Returns the state of an experiment. What was harmed or cannot be trusted goes before what was won. */
export function experimentState(facts: ExperimentFacts): ExperimentState {
  const { status, decision, lastRun, lastNight } = facts;
  if (status === "draft" || status === "archived") return status;
  if (status === "stopped") return decision === null ? "stopped" : `stopped-${decision.outcome}`;
  if (lastRun?.srmStatus === "halted") return "withheld";
  const rows = lastRun?.rows ?? NO_ROWS;
  if (rows.length === 0 && lastNight?.outcome === "failed") return "failed";
  // A critical remark says that the data do not mean what the rows say (docs/attribution.md).
  if (rows.length > 0 && lastRun?.worstRemark === "critical") return "data-fault";
  if (failingGuardrails(rows).length > 0) return "guardrail-failing";
  const decisive = decisiveRows(facts);
  if (decisive.length === 0) return facts.exposures > 0 ? "collecting" : "no-traffic";
  return judge(decisive, facts);
}

/**
 * Judges treatment by treatment: one that is better in one decisive metric and worse in another has not won. Only a nightly
 * run with a row for every primary metric ends an experiment. One that is cheaper and not worse by more than the margins
 * allow can be decided on as well as a win.
 */
function judge(decisive: readonly RowSummary[], facts: ExperimentFacts): ExperimentState {
  const isFinal = facts.lastRun?.preliminary === false && !isAwaited(facts);
  const winners = winningRows(decisive);
  if (winners.length > 0) {
    return isFinal && winners.some(isSettled) ? "ready-to-decide" : "winning";
  }
  if (isFinal && hasSettledTradeoff(decisive, facts)) return "ready-to-decide";
  if (decisive.some(({ verdict }) => verdict === "worse")) return "losing";
  const isReached = decisive.every(({ progress }) => progress?.daysToGo === 0);
  return isFinal && isReached ? "no-difference" : "running";
}

/** The planned precision is there, or what is seen stands however early one looks (statistics: confidence sequences, e-BH). */
function isSettled({ progress, pValueSeqFdr }: RowSummary): boolean {
  return progress === null || progress.daysToGo === 0 || (pValueSeqFdr !== null && pValueSeqFdr < ALPHA);
}

/** Whether a treatment that is nowhere harmed is cheaper and not worse, and stays so. */
function hasSettledTradeoff(decisive: readonly RowSummary[], { lastRun }: ExperimentFacts): boolean {
  const harmed = new Set(decisive.filter(isHarmed).map(({ treatment }) => treatment));
  return lastRun?.tradeoffs.some((one) => one.isSettled && !harmed.has(one.treatment)) === true;
}

/** Significantly worse, and not only by what the metric's margin allows. */
function isHarmed({ verdict, nonInferiority }: RowSummary): boolean {
  return verdict === "worse" && nonInferiority?.isNotWorse !== true;
}

/** Rows that are better, of the treatments that are nowhere worse. */
function winningRows(decisive: readonly RowSummary[]): readonly RowSummary[] {
  const lost = new Set(
    decisive.filter(({ verdict }) => verdict === "worse").map(({ treatment }) => treatment),
  );
  return decisive.filter(({ verdict, treatment }) => verdict === "better" && !lost.has(treatment));
}

/**
 * Lists the rows on which the decision rests: those of primary metrics, or all but guardrails when none is primary (all, of
 * an experiment that has guardrails only). None while the primary metrics have no row yet.
 */
export function decisiveRows(
  facts: Pick<ExperimentFacts, "lastRun" | "primaryMetrics">,
): readonly RowSummary[] {
  const rows = facts.lastRun?.rows ?? NO_ROWS;
  const primary = rows.filter(({ role }) => role === "primary");
  if (primary.length > 0) return primary;
  if (isAwaited(facts)) return [];
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

/** Lists the guardrails that a treatment made worse, by more than their margin where they have one. */
export function failingGuardrails(rows: readonly RowSummary[]): readonly RowSummary[] {
  return rows.filter((row) => row.role === "guardrail" && isHarmed(row));
}

/** Picks the row to show of the decisive ones: that with the smallest p-value; null when there is none. */
export function leadingRow(decisive: readonly RowSummary[]): RowSummary | null {
  return decisive.reduce<RowSummary | null>(
    (best, row) => (best === null || row.pValue < best.pValue ? row : best),
    null,
  );
}

/**
 * Tells how far the decision is: of a treatment that wins the furthest winning row, else the row that is furthest behind.
 * Null when no row knows, or a primary metric has no row yet.
 */
export function decisionProgress(
  facts: Pick<ExperimentFacts, "lastRun" | "primaryMetrics">,
): Progress | null {
  if (isAwaited(facts)) return null;
  const decisive = decisiveRows(facts);
  return knownProgress(winningRows(decisive)).at(-1) ?? knownProgress(decisive)[0] ?? null;
}

/** Ascending. */
function knownProgress(rows: readonly RowSummary[]): readonly Progress[] {
  return rows.flatMap(({ progress }) => progress ?? []).sort((a, b) => a.share - b.share);
}

/** Returns whether a running experiment gets no exposures or no analyses any more: none for two days. The demo never gets more. */
export function isStale(
  { status, isDemo, lastExposureOn, lastRun, lastNight }: ExperimentFacts,
  now: number,
): boolean {
  if (status !== "running" || isDemo) return false;
  const isOld = (at: number) => at < now - STALE_MS;
  // A night that finds too little to analyse stores no run, and shows that the pipeline is alive.
  const night = lastNight?.outcome === "failed" ? null : (lastNight?.finishedAt ?? null);
  const analysedAt = [lastRun?.computedAt ?? null, night].filter((at) => at !== null);
  return (
    (analysedAt.length > 0 && analysedAt.every(isOld)) ||
    (lastExposureOn !== null && isOld(endOfDay(lastExposureOn)))
  );
}

const ATTENTION: ReadonlySet<ExperimentState> = new Set([
  "withheld",
  "data-fault",
  "failed",
  "guardrail-failing",
  "losing",
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
