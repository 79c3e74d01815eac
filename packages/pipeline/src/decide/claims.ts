import type { Claim, ClaimKind, Day, DecisionPlan, MetricResult } from "@assay/domain";
import {
  conditionalPower,
  detectableStandardErrors,
  efficacyBoundaries,
  futilityBoundaries,
  informationFraction,
  maximumInformation,
  normalQuantile,
  SMALLEST_STEP,
} from "@assay/stats";

/** Everything that a look depends on except its rows. */
export interface Look {
  readonly plan: DecisionPlan;
  /** Whether the plan allows a decision on this night. */
  readonly isLook: boolean;
  /** The planned end is reached: the remaining error probability is spent. */
  readonly isLast: boolean;
  /** The decision look has passed: from now on, only evidence that holds at any look counts. */
  readonly isOver: boolean;
  readonly day: Day;
}

/** A claim before it is compared with the other claims of its family. */
interface OpenClaim extends Omit<Claim, "boundary" | "metOn" | "conditionalPower" | "isUnlikely"> {
  readonly before: Claim | undefined;
  readonly isMetSeq: boolean;
}

/** Lists the claims of the rows, each continued from earlier nights. */
export function claimsOf(
  {
    better,
    bounded,
  }: { readonly better: readonly MetricResult[]; readonly bounded: readonly MetricResult[] },
  earlier: readonly Claim[],
  look: Look,
): readonly Claim[] {
  const guardrails = Math.max(1, new Set(bounded.map(({ metric }) => metric)).size);
  const opened = [
    ...better.map((row) =>
      openClaim("better", row, { earlier, look, maximum: betterMaximum(row, better.length, look) }),
    ),
    ...bounded.map((row) =>
      openClaim("not-worse", row, { earlier, look, maximum: boundMaximum(row, guardrails, look) }),
    ),
  ];
  const family = opened.filter(({ kind }) => kind === "better");
  const level = familyLevel(family, look);
  return opened.map((claim) => closeClaim(claim, claim.kind === "better" ? level : look.plan.alpha, look));
}

function openClaim(
  kind: ClaimKind,
  row: MetricResult,
  { earlier, look, maximum }: { earlier: readonly Claim[]; look: Look; maximum: number | null },
): OpenClaim {
  const { metric, treatment, metricVersion, effect, ciLow, ciHigh, pValue } = row;
  const isCalibrated = row.judge?.calibrated ?? false;
  const before = earlier.find(
    (claim) =>
      claim.kind === kind &&
      claim.metric === metric &&
      claim.treatment === treatment &&
      claim.metricVersion === metricVersion &&
      claim.isCalibrated === isCalibrated,
  );
  return {
    ...{ kind, metric, treatment, metricVersion, isCalibrated, effect, ciLow, ciHigh, pValue },
    before,
    z: kind === "better" ? betterZ(row) : notWorseZ(row),
    isMetSeq:
      kind === "better"
        ? isGain(row) && row.pValueSeqFdr !== null && row.pValueSeqFdr < look.plan.alpha
        : row.nonInferiority?.isNotWorseSeq === true,
    fractions: fractionsOf(before?.fractions ?? [], row.standardError, { look, maximum }),
  };
}

/** Returns whether the effect goes in the wanted direction. */
export function isGain({ effect, desired }: Pick<MetricResult, "effect" | "desired">): boolean {
  return desired === "increase" ? effect > 0 : effect < 0;
}

/** The row's two-sided p-value as a normal deviate, positive when the treatment is better. */
function betterZ(row: MetricResult): number {
  const size = -normalQuantile(row.pValue / 2);
  return isGain(row) ? size : -size;
}

/**
 * The distance of the worst loss from the margin, scaled so that the interval's half-width is 1.96.
 */
function notWorseZ({ effect, desired, nonInferiority }: MetricResult): number | null {
  if (nonInferiority === null || nonInferiority.worstLoss === null) return null;
  const { margin, worstLoss } = nonInferiority;
  const gain = desired === "increase" ? effect : -effect;
  const half = gain + worstLoss;
  return half > 0 ? (normalQuantile(0.975) * (margin + gain)) / half : null;
}

function betterMaximum(row: MetricResult, rows: number, { plan }: Look): number | null {
  const target = row.daysToGo?.targetEffect ?? 0;
  return target === 0 ? null : maximumInformation({ target, alpha: plan.alpha / rows, power: plan.power });
}

/**
 * Beta is divided by the number of guardrails that must all hold; alpha is not (Schultzberg, Ankargren & Frånberg
 * 2024).
 */
function boundMaximum(row: MetricResult, guardrails: number, { plan }: Look): number | null {
  const margin = row.nonInferiority!.margin;
  const power = 1 - (1 - plan.power) / guardrails;
  return margin === 0 ? null : maximumInformation({ target: margin, alpha: plan.alpha, power });
}

/** Adds this look. A claim with complete information has had its last look. */
function fractionsOf(
  before: readonly number[],
  standardError: number | null,
  { look, maximum }: { readonly look: Look; readonly maximum: number | null },
): readonly number[] {
  const last = before.at(-1) ?? 0;
  const mayLook = look.plan.looks === "fixed" ? look.isLast : look.isLook;
  if (!mayLook || last === 1) return before;
  if (look.isLast) return [...before, 1];
  if (standardError === null || maximum === null) return before;
  const fraction = Math.max(last, informationFraction(standardError, maximum));
  return fraction - last < SMALLEST_STEP ? before : [...before, fraction];
}

/**
 * Benjamini–Hochberg over the claims at this look: the largest level j α / m that j or more claims meet (JT 2000 ch.
 * 9).
 */
function familyLevel(family: readonly OpenClaim[], look: Look): number {
  const { alpha } = look.plan;
  const m = Math.max(1, family.length);
  for (let j = m; j > 1; j--) {
    const level = (alpha * j) / m;
    if (family.filter((claim) => isMet(claim, level, look)).length >= j) return level;
  }
  return alpha / m;
}

function isMet(claim: OpenClaim, level: number, look: Look): boolean {
  if (claim.before !== undefined && claim.before.metOn !== null) return true;
  if (!look.isLook) return false;
  if (look.isOver || look.plan.looks === "always_valid") return claim.isMetSeq;
  const boundary = boundaryOf(claim.fractions, level);
  return claim.z !== null && boundary !== null && isNewLook(claim) && claim.z >= boundary;
}

/** A night without new information is not a look. */
function isNewLook({ before, fractions }: OpenClaim): boolean {
  return fractions.length > (before?.fractions.length ?? 0);
}

function boundaryOf(fractions: readonly number[], level: number): number | null {
  const boundary = efficacyBoundaries(fractions, level).at(-1);
  return boundary === undefined || boundary === Number.POSITIVE_INFINITY ? null : boundary;
}

function closeClaim(claim: OpenClaim, level: number, look: Look): Claim {
  const { before, isMetSeq: _, ...row } = claim;
  const met = isMet(claim, level, look);
  return {
    ...row,
    boundary: look.plan.looks === "always_valid" ? null : boundaryOf(claim.fractions, level),
    metOn: met ? (before?.metOn ?? look.day) : null,
    ...(met ? { conditionalPower: null, isUnlikely: false } : prospects(claim, level, look)),
  };
}

function prospects(
  { kind, z, fractions }: OpenClaim,
  level: number,
  { plan }: Look,
): Pick<Claim, "conditionalPower" | "isUnlikely"> {
  const t = fractions.at(-1);
  const isAsked = plan.futility && plan.looks === "group_sequential" && kind === "better";
  if (!isAsked || z === null || t === undefined || t === 1)
    return { conditionalPower: null, isUnlikely: false };
  const target = { alpha: level, power: plan.power };
  const futile = futilityBoundaries(fractions, target).at(-1)!;
  const look = { z, t, boundary: normalQuantile(1 - level / 2), drift: detectableStandardErrors(target) };
  return { conditionalPower: conditionalPower(look), isUnlikely: z < futile };
}
