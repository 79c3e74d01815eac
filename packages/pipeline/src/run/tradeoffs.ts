import type { ArmMetric, Claim, MetricDefinition, MetricResult, Tradeoff } from "@assay/domain";
import { isCost } from "@assay/domain";
import type { RunFrame } from "../run-frame.ts";
import { type CostPerUser, costPerUser } from "./cost-per-user.ts";

const USERS = 1_000;

export interface TradeoffInput {
  readonly frame: Pick<RunFrame, "experiment" | "periods">;
  readonly sums: readonly ArmMetric[];
  /** What the decision plan concludes from the rows. */
  readonly claims: readonly Claim[];
}

/**
 * Lists the treatments that are significantly cheaper and, on every metric with a margin, not worse by more than the margin. At
 * least one metric with a margin must not be a cost, and no primary metric or guardrail without a margin may be significantly
 * worse. The saving must also be positive in money per user. Pure; `rows` are corrected.
 */
export function tradeoffs(rows: readonly MetricResult[], input: TradeoffInput): readonly Tradeoff[] {
  const byTreatment = Map.groupBy(rows, ({ treatment }) => treatment);
  return [...byTreatment].flatMap(([treatment, own]) => tradeoffOf(treatment, own, input) ?? []);
}

function tradeoffOf(treatment: string, rows: readonly MetricResult[], input: TradeoffInput): Tradeoff | null {
  const { metrics } = input.frame.experiment.config;
  const bounded = metrics.filter(({ margin }) => margin !== null);
  if (bounded.every(isCost)) return null;
  const kept = bounded.flatMap(({ name }) => rows.filter((row) => row.metric === name && isKept(row)));
  if (kept.length < bounded.length || rows.some(isHarm)) return null;
  const best = cheapest(rows, input);
  if (best === null) return null;
  return {
    treatment,
    verdict: "cheaper-and-not-worse",
    saving: best.saving,
    notWorse: kept.map(({ metric, judge, nonInferiority }) => ({
      metric,
      margin: nonInferiority!.margin,
      worstLoss: nonInferiority!.worstLoss!,
      isJudgeOpinion: judge?.calibrated === false,
    })),
    isSettled: isMet("better", best.row, input) && kept.every((row) => isMet("not-worse", row, input)),
  };
}

function isKept({ nonInferiority }: MetricResult): boolean {
  return nonInferiority?.isNotWorse === true;
}

function isHarm({ role, verdict, nonInferiority }: MetricResult): boolean {
  return role !== "secondary" && verdict === "worse" && nonInferiority === null;
}

/** Picks the first cost metric that is cheaper; metrics per user come first, because their row is already in money per user. */
function cheapest(rows: readonly MetricResult[], input: TradeoffInput) {
  const { metrics } = input.frame.experiment.config;
  const inOrder = metrics.filter(isCost).toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const metric of inOrder) {
    const row = rows.find(({ metric: name, verdict }) => name === metric.name && verdict === "better");
    const cost = row && costPerUser(metric, row, input);
    if (row && cost && cost.ciHigh < 0) return { row, saving: toSaving(row, cost) };
  }
  return null;
}

function rankOf({ kind }: MetricDefinition): number {
  return kind === "mean" ? 0 : 1;
}

function toSaving(row: MetricResult, { effect, ciLow, ciHigh }: CostPerUser): Tradeoff["saving"] {
  return {
    metric: row.metric,
    usdPer1000Users: -effect * USERS,
    ciLow: -ciHigh * USERS,
    ciHigh: -ciLow * USERS,
    relativeEffect: row.relativeEffect,
    relativeCiLow: row.relativeCiLow,
    relativeCiHigh: row.relativeCiHigh,
  };
}

function isMet(kind: Claim["kind"], { metric, treatment }: MetricResult, { claims }: TradeoffInput): boolean {
  return claims.some(
    (claim) =>
      claim.kind === kind && claim.metric === metric && claim.treatment === treatment && claim.metOn !== null,
  );
}
