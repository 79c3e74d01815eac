import { Z } from "../level.ts";
import type { Stratum } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { bettingInterval } from "./betting-interval.ts";
import type { PpiOutcome, ScoredUnit } from "./ppi.ts";

/** With fewer labeled calls of one kind (passed, failed, or judged wrongly) in an arm, the labels' spread is not known. */
const MIN_CASES = 10;

/** How far an arm's true value may be below and above its estimate. */
interface Reach {
  readonly down: number;
  readonly up: number;
}

/**
 * Widens the interval of `ppiDifference` for scores and labels of 0 and 1 if an arm has fewer than 10 labels of some kind: passed,
 * failed, or different from the judge. The normal interval would then depend on a few calls, or on none if all agree. The labels'
 * correction is bounded by betting and the scores' part by the normal interval; both are combined like variances (Zou & Donner 2008).
 * The result covers both this interval and the normal one. Other data keep their interval.
 */
export function widenForRareLabels(
  arms: Stratum<readonly ScoredUnit[]>,
  outcome: PpiOutcome,
): Pick<PpiOutcome, "ciLow" | "ciHigh"> {
  const { effect, ciLow, ciHigh, lambda } = outcome;
  const units = [...arms.control, ...arms.treatment];
  if (!units.every(isPassOrFail) || !(isRare(arms.control) || isRare(arms.treatment)))
    return { ciLow, ciHigh };
  const control = reachOf(arms.control, lambda.control);
  const treatment = reachOf(arms.treatment, lambda.treatment);
  return {
    ciLow: Math.max(-1, Math.min(ciLow!, effect - Math.hypot(treatment.down, control.up))),
    ciHigh: Math.min(1, Math.max(ciHigh!, effect + Math.hypot(treatment.up, control.down))),
  };
}

function isPassOrFail({ score, label }: ScoredUnit): boolean {
  return isZeroOrOne(score) && (label === null || isZeroOrOne(label));
}

function isZeroOrOne(value: number): boolean {
  return value === 0 || value === 1;
}

function isRare(units: readonly ScoredUnit[]): boolean {
  const count = (is: (unit: ScoredUnit) => boolean) => units.filter(is).length;
  const passed = count(({ label }) => label === 1);
  const failed = count(({ label }) => label === 0);
  const wrong = count(({ label, score }) => label !== null && label !== score);
  return Math.min(passed, failed, wrong) < MIN_CASES;
}

function reachOf(units: readonly ScoredUnit[], lambda: number): Reach {
  const ofLabels = labelReach(units, lambda);
  const ofScores = Z * lambda * scoreError(units.filter(({ label }) => label === null));
  return { down: Math.hypot(ofLabels.down, ofScores), up: Math.hypot(ofLabels.up, ofScores) };
}

/** The reach of the mean of label − λ score, whose values lie between −λ and 1. Unequal weights count as fewer calls. */
function labelReach(units: readonly ScoredUnit[], lambda: number): Reach {
  const users = meansByUser(
    units.flatMap((unit) =>
      unit.label === null ? [] : { ...unit, value: unit.label - lambda * unit.score },
    ),
  );
  const range = 1 + lambda;
  const values = Float64Array.from(users, ({ value }) => (value + lambda) / range);
  const [low, high] = bettingInterval(values);
  const mean = sumOf(values) / values.length;
  const scale = range * Math.sqrt(values.length / effectiveNumber(users));
  return { down: scale * (mean - low), up: scale * (high - mean) };
}

/** The standard error of the mean score of calls without a label; 0 for fewer than two users. */
function scoreError(units: readonly ScoredUnit[]): number {
  const users = meansByUser(units.map((unit) => ({ ...unit, value: unit.score })));
  const mean = sumOf(users.map(({ value }) => value)) / users.length;
  const squares = sumOf(users.map(({ value }) => (value - mean) ** 2));
  return users.length < 2 ? 0 : Math.sqrt(squares / (users.length - 1) / effectiveNumber(users));
}

interface UserMean {
  readonly weight: number;
  readonly value: number;
}

function meansByUser(
  units: readonly (Pick<ScoredUnit, "cluster" | "weight"> & { readonly value: number })[],
): readonly UserMean[] {
  return [...Map.groupBy(units, ({ cluster }) => cluster).values()].map((own) => {
    const weight = sumOf(own.map((unit) => unit.weight));
    return { weight, value: sumOf(own.map((unit) => unit.weight * unit.value)) / weight };
  });
}

/** Computes how many users of equal weight carry the same information (Kish 1965). */
function effectiveNumber(users: readonly UserMean[]): number {
  return sumOf(users.map(({ weight }) => weight)) ** 2 / sumOf(users.map(({ weight }) => weight * weight));
}
