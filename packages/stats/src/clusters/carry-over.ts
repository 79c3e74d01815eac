import { studentTQuantile, studentTSf } from "../distributions/student-t.ts";
import { UPPER } from "../level.ts";
import { mapStrata, type Stratum, userShares } from "../strata.ts";
import { sumOf } from "../sum-of.ts";
import { type ClusteredScores, clusterError } from "./cluster-error.ts";

/** Scores of units that began one after the other. */
export interface DatedScores extends ClusteredScores {
  /** In any unit of time. */
  readonly startedAt: Float64Array;
}

/** What users' earlier units may have left behind in their later ones. */
export interface CarryOver {
  /** The effect in the first unit of each user, which nothing came before, with its 95 % interval. */
  readonly effect: number;
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly units: { readonly control: number; readonly treatment: number };
  /** Whether it differs from the effect in all units. */
  readonly pValue: number;
  /** The difference between later units whose user had treatment, and those whose user had control, in the unit before. */
  readonly earlierEffect: number;
  readonly earlierPValue: number;
}

type Dated = readonly Stratum<DatedScores>[];

/** A unit by its place. */
interface Place {
  readonly stratum: number;
  readonly arm: keyof Stratum<unknown>;
  readonly index: number;
  readonly at: number;
}

const ARMS = ["control", "treatment"] as const;

/**
 * Compares the effect in first units with that in all, and later units by the arm of the unit before. Both tests count a user once
 * (`clusterError`). The scores are what the units add to the effect. Strata in which an arm has fewer than two of the compared units are left
 * out. Null if none is left, or the units have no spread.
 */
export function carryOver(strata: Dated, effect: number): CarryOver | null {
  const before = placesBefore(strata);
  const first = inFirstUnits(strata, before, effect);
  const earlier = byEarlierArm(strata, before);
  return first === null || earlier === null ? null : { ...first, ...earlier };
}

/** The unit before each unit of the same user, by stratum and arm; null before the first. */
type Before = readonly Stratum<readonly (Place | null)[]>[];

function placesBefore(strata: Dated): Before {
  const byUser = new Map<number, Place[]>();
  for (const [stratum, arms] of strata.entries())
    for (const arm of ARMS)
      for (const [index, user] of arms[arm].clusters.entries()) {
        const place = { stratum, arm, index, at: arms[arm].startedAt[index]! };
        const known = byUser.get(user);
        if (known === undefined) byUser.set(user, [place]);
        else known.push(place);
      }
  const before = mapStrata(strata, ({ scores }) => Array.from(scores, (): Place | null => null));
  for (const places of byUser.values()) {
    places.sort((one, other) => one.at - other.at);
    for (const [i, { stratum, arm, index }] of places.entries())
      before[stratum]![arm][index] = places[i - 1] ?? null;
  }
  return before;
}

/** The effect in first units, and the test whether it differs from `effect`, which is that of all. */
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
  const shares = userShares(strata, ({ scores }) => scores.length);
  const shift = sumOf(
    parts.map(({ control, treatment }, s) => shares[s]! * (treatment.shift - control.shift)),
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
    pValue: 2 * studentTSf(Math.abs(shift) / error.standardError, error.df),
  };
}

/** How much an arm's mean of first units is above that of all, and what each unit adds to this, about 0. */
function shiftOf({ scores, clusters }: DatedScores, before: readonly (Place | null)[]) {
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

/** Compares later units by the arm of the unit before, among those that are themselves in the same arm. */
function byEarlierArm(
  strata: Dated,
  before: Before,
): Pick<CarryOver, "earlierEffect" | "earlierPValue"> | null {
  const later = strata
    .flatMap((arms, s) =>
      ARMS.map((arm) => {
        const of = (earlier: Place["arm"]) => pick(arms[arm], (i) => before[s]![arm][i]?.arm === earlier);
        return { control: of("control"), treatment: of("treatment") };
      }),
    )
    .filter(haveTwoEach);
  if (later.length === 0) return null;
  const { standardError, df } = clusterError(later);
  if (!(standardError > 0)) return null;
  const shares = userShares(later, ({ scores }) => scores.length);
  const mean = ({ scores }: ClusteredScores) => sumOf(scores) / scores.length;
  const effect = sumOf(
    later.map(({ control, treatment }, s) => shares[s]! * (mean(treatment) - mean(control))),
  );
  return {
    earlierEffect: effect,
    earlierPValue: 2 * studentTSf(Math.abs(effect) / standardError, df),
  };
}

/** The first units of users. */
function firstUnits(arms: Stratum<DatedScores>, before: Before[number]): Stratum<ClusteredScores> {
  const of = (arm: Place["arm"]) => pick(arms[arm], (index) => before[arm][index] === null);
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
