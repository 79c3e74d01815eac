import type { HealthCheck, ScoredCall } from "@assay/domain";
import { type Slope, sumOf, weightedSlope } from "@assay/stats";
import { weightOf } from "../judge/quality-rows.ts";
import { armShares, type HealthFacts } from "./facts.ts";
import { biasVerdict, type JudgedFacts, signed } from "./judged-facts.ts";
import { percent } from "./share-text.ts";

/** Share of the scale that length alone explains. */
const GAP_SHARE = 0.02;
const LEVEL = 0.01;
/** The slope's standard error needs many users. */
const MIN_USERS = 50;

const ACTION =
  "Longer answers may be better, or the judge may just prefer them: label 50 calls per arm to find out, or say in the rubric that length is not a merit.";

/** Checks how much of an effect the length of the answers would explain by itself. */
export function lengthCheck(metric: JudgedFacts, facts: HealthFacts): HealthCheck {
  const { name, range, control } = metric;
  // A call that failed has no answer.
  const calls = metric.calls.filter(({ answerLength }) => answerLength > 0);
  const fixed = {
    measure: "gap",
    threshold: GAP_SHARE,
    since: null,
    arms: longAnswers(calls, facts),
  } as const;
  const base = { code: "judge-length", ...fixed } as const;
  const byArm = Map.groupBy(calls, ({ arm }) => arm);
  const slope = slopeWithinArms([...byArm.values()]);
  const furthest = furthestLength(byArm, control);
  if (slope === null || furthest === null) {
    const detail = `${name}: too few scores to see whether the judge prefers longer answers.`;
    return { ...base, severity: "no-data", detail, action: null, value: null };
  }
  const { arm, logRatio } = furthest;
  const explained = slope.slope * logRatio;
  const value = Math.abs(explained) / range;
  const lengths = `answers of ${arm} are ${percent(Math.exp(logRatio))} as long as those of ${control}`;
  const detail = `${name}: within an arm, an answer twice as long scores ${signed(slope.slope * Math.LN2)}; ${lengths}. Length alone would explain a difference of ${signed(explained)}.`;
  const isAlarming = value >= GAP_SHARE && slope.pValue < LEVEL;
  return { ...base, ...biasVerdict(isAlarming, metric, { detail, action: ACTION }), value };
}

/** Counts by arm the answers that are longer than the overall median. */
function longAnswers(calls: readonly ScoredCall[], facts: HealthFacts): HealthCheck["arms"] {
  const sorted = calls.map(({ answerLength }) => answerLength).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const counts = calls.map(({ arm, answerLength }) => ({ arm, count: answerLength > median ? 1 : 0, of: 1 }));
  const byArm = [...Map.groupBy(counts, ({ arm }) => arm)];
  return armShares(
    facts,
    byArm.map(([arm, own]) => ({ arm, count: sumOf(own.map(({ count }) => count)), of: own.length })),
  );
}

/** Finds the treatment whose mean log length is furthest from control's. */
function furthestLength(byArm: ReadonlyMap<string, readonly ScoredCall[]>, control: string) {
  const base = byArm.get(control);
  if (base === undefined) return null;
  const [furthest] = [...byArm]
    .filter(([arm]) => arm !== control)
    .map(([arm, own]) => ({ arm, logRatio: mean(own, logLength) - mean(base, logLength) }))
    .sort((a, b) => Math.abs(b.logRatio) - Math.abs(a.logRatio));
  return furthest ?? null;
}

/** Estimates the slope of the score on log length, net of the arms' means; null with too few users. */
function slopeWithinArms(arms: readonly (readonly ScoredCall[])[]): Slope | null {
  const users = new Map<string, number>();
  for (const { userId } of arms.flat()) if (!users.has(userId)) users.set(userId, users.size);
  if (users.size < MIN_USERS) return null;
  const calls = arms.flat();
  // Center on the overall means, not on 0: rounding would make equal lengths look different there.
  const shiftOf = (own: readonly ScoredCall[], value: (call: ScoredCall) => number) =>
    mean(own, value) - mean(calls, value);
  const points = arms.flatMap((own) => {
    const [shiftX, shiftY] = [shiftOf(own, logLength), shiftOf(own, scoreOf)];
    return own.map((call) => ({
      cluster: users.get(call.userId)!,
      weight: weightOf(call),
      x: logLength(call) - shiftX,
      y: call.score - shiftY,
    }));
  });
  return weightedSlope(points);
}

function logLength({ answerLength }: ScoredCall): number {
  return Math.log(answerLength);
}

function scoreOf({ score }: ScoredCall): number {
  return score;
}

function mean(calls: readonly ScoredCall[], value: (call: ScoredCall) => number): number {
  return sumOf(calls.map((call) => weightOf(call) * value(call))) / sumOf(calls.map(weightOf));
}
