import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { UPPER } from "../level.ts";
import { floorPValue } from "../methods/test-outcome.ts";
import { mapStrata, type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { type ClusterError, type ClusteredScores, clusterError } from "./cluster-error.ts";

/** Scores of units with their start times. */
export interface DatedScores extends ClusteredScores {
  /** In any unit of time. */
  readonly startedAt: Float64Array;
}

/** How users' earlier units influence their later ones. */
export interface CarryOver {
  /** The effect in each user's first unit, which no earlier unit can influence, with its 95% interval. */
  readonly effect: number;
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly units: { readonly control: number; readonly treatment: number };
  /** p-value of the test that this effect equals the effect in all units. */
  readonly pValue: number;
  /** Later units after a unit in treatment minus later units after a unit in control, with the test's p-value. */
  readonly earlierEffect: number;
  readonly earlierPValue: number;
}

type Dated = readonly Stratum<DatedScores>[];
type Arm = keyof Stratum<unknown>;

const ARMS = ["control", "treatment"] as const satisfies readonly Arm[];

/**
 * Compares the effect in first units with the effect in all units, and later units by the arm of the user's previous unit. Both tests
 * are cluster-robust (`clusterError`). The scores are the units' contributions to the effect. Strata in which an arm has fewer than two
 * of the compared units are left out. Null if no stratum remains, or if the units have no spread.
 */
export function carryOver(strata: Dated, effect: number): CarryOver | null {
  const before = armsBefore(strata);
  const first = inFirstUnits(strata, before, effect);
  const earlier = byEarlierArm(strata, before);
  return first === null || earlier === null ? null : { ...first, ...earlier };
}

/** By stratum and arm, the arm of the same user's previous unit for each unit; null for first units. */
type Before = readonly Stratum<readonly (Arm | null)[]>[];

function armsBefore(strata: Dated): Before {
  const before = mapStrata(strata, ({ scores }) => Array.from(scores, (): Arm | null => null));
  const units = strata.flatMap((arms, s) =>
    ARMS.flatMap((arm) =>
      Array.from(arms[arm].startedAt, (at, index) => ({ at, arm, index, own: before[s]![arm] })),
    ),
  );
  const users = strata.flatMap((arms) => ARMS.flatMap((arm) => [...arms[arm].clusters]));
  const last = new Map<number, Arm>();
  for (const unit of [...units.keys()].sort((one, other) => units[one]!.at - units[other]!.at)) {
    const { arm, index, own } = units[unit]!;
    own[index] = last.get(users[unit]!) ?? null;
    last.set(users[unit]!, arm);
  }
  return before;
}

/** The effect in first units, and the test that it equals `effect`, the effect in all units. */
function inFirstUnits(
  all: Dated,
  before: Before,
  effect: number,
): Pick<CarryOver, "effect" | "ciLow" | "ciHigh" | "units" | "pValue"> | null {
  const compared = all
    .map((stratum, s) => ({ stratum, first: firstUnits(stratum, before[s]!), before: before[s]! }))
    .filter((one) => haveTwoEach(one.first));
  if (compared.length === 0) return null;
  const [strata, first] = [compared.map(({ stratum }) => stratum), compared.map((one) => one.first)];
  const parts = compared.map(({ stratum, before: own }) => ({
    control: shiftOf(stratum.control, own.control),
    treatment: shiftOf(stratum.treatment, own.treatment),
  }));
  const shift = difference(
    strata,
    mapStrata(parts, (part) => part.shift),
  );
  const error = clusterError(mapStrata(parts, ({ scores }) => scores));
  const own = clusterError(first);
  if (!(error.standardError > 0 && own.standardError > 0)) return null;
  const half = studentTQuantile(UPPER, own.df) * own.standardError;
  const inFirst = effect + shift;
  return {
    ...{ effect: inFirst, ciLow: inFirst - half, ciHigh: inFirst + half },
    units: {
      control: sumOf(first.map(({ control }) => control.scores.length)),
      treatment: sumOf(first.map(({ treatment }) => treatment.scores.length)),
    },
    pValue: pValueOf(shift, error),
  };
}

/** How far an arm's mean of first units exceeds its mean of all units, and each unit's contribution to this, centered at 0. */
function shiftOf({ scores, clusters }: DatedScores, before: readonly (Arm | null)[]) {
  const isFirst = (i: number) => before[i] === null;
  const mean = (units: readonly number[]) => sumOf(units.map((i) => scores[i]!)) / units.length;
  const { first = [], later = [] } = Object.groupBy([...scores.keys()], (i) =>
    isFirst(i) ? "first" : "later",
  );
  const [ofFirst, ofLater] = [mean(first), mean(later)];
  const n = scores.length;
  const residuals = scores.map((score, i) => {
    const weight = (isFirst(i) ? n / first.length : 0) - 1;
    return weight * (score - (isFirst(i) ? ofFirst : ofLater));
  });
  return { shift: ofFirst - sumOf(scores) / n, scores: { scores: residuals, clusters } };
}

/** Compares later units by the arm of the user's previous unit, within their own arm. */
function byEarlierArm(
  strata: Dated,
  before: Before,
): Pick<CarryOver, "earlierEffect" | "earlierPValue"> | null {
  const later = strata
    .flatMap((arms, s) =>
      ARMS.map((arm) => {
        const of = (earlier: Arm) => pick(arms[arm], (i) => before[s]![arm][i] === earlier);
        return { control: of("control"), treatment: of("treatment") };
      }),
    )
    .filter(haveTwoEach);
  if (later.length === 0) return null;
  const error = clusterError(later);
  if (!(error.standardError > 0)) return null;
  const earlierEffect = difference(
    later,
    mapStrata(later, ({ scores }) => sumOf(scores) / scores.length),
  );
  return { earlierEffect, earlierPValue: pValueOf(earlierEffect, error) };
}

/** Treatment − control, with strata weighted by their units. */
function difference(strata: readonly Stratum<ClusteredScores>[], values: readonly Stratum<number>[]): number {
  const shares = userShares(strata, ({ scores }) => scores.length);
  return sumOf(values.map(({ control, treatment }, s) => shares[s]! * (treatment - control)));
}

function pValueOf(effect: number, { standardError, df }: ClusterError): number {
  return floorPValue(2 * studentTSf(Math.abs(effect) / standardError, df));
}

/** The first units of users. */
function firstUnits(arms: Stratum<DatedScores>, before: Before[number]): Stratum<ClusteredScores> {
  const of = (arm: Arm) => pick(arms[arm], (index) => before[arm][index] === null);
  return { control: of("control"), treatment: of("treatment") };
}

function pick({ scores, clusters }: ClusteredScores, isTaken: (index: number) => boolean): ClusteredScores {
  return {
    scores: scores.filter((_, i) => isTaken(i)),
    clusters: clusters.filter((_, i) => isTaken(i)),
  };
}

function haveTwoEach({ control, treatment }: Stratum<ClusteredScores>): boolean {
  return Math.min(control.scores.length, treatment.scores.length) > 1;
}
