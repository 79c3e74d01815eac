import {
  type PpiOutcome,
  ppiDifference,
  ratioDelta,
  ratioMomentsOf,
  type ScoredUnit,
  type Stratum,
  type TestOutcome,
  userShares,
} from "@assay/stats";
import type { JudgedCall } from "../populations/judged-calls.ts";
import type { Draw } from "../random/draw.ts";
import { toPairs } from "./arm-data.ts";

/** Three estimates of the same difference. */
export interface JudgedRows {
  /** From the scores of all judged calls. */
  readonly judge: TestOutcome | null;
  /** From the scores, corrected by labels of some calls. */
  readonly calibrated: PpiOutcome | null;
  /** From the labels alone. */
  readonly people: TestOutcome | null;
}

type Users = readonly (readonly JudgedCall[])[];

/**
 * Compares the arms' judged calls. Randomly chosen calls, `labels` in each arm, have a person's label. With several
 * allocation periods, weights give each period the same share in both arms: its share of all users.
 */
export function judgedRows(draw: Draw, strata: readonly Stratum<Users>[], labels: number): JudgedRows {
  const shares = userShares(strata, ({ length }) => length);
  const toUnits = (arm: keyof Stratum<Users>) => {
    const users = strata.map((stratum) => stratum[arm]);
    return hideLabels(draw, numberUsers(users, shares), labels);
  };
  const arms = { control: toUnits("control"), treatment: toUnits("treatment") };
  return {
    judge: compareMeans(arms, ({ score }) => score),
    calibrated: ppiDifference(arms),
    people: compareMeans(arms, ({ label }) => label),
  };
}

type LabelledUnit = ScoredUnit & { readonly label: number };

/** Numbers the users of an arm, and scales the weights of each period's calls to the period's share of all users. */
function numberUsers(periods: readonly Users[], shares: readonly number[]): LabelledUnit[] {
  const all = periods.flat().length;
  return periods
    .flatMap((users, period) => users.map((own) => ({ own, scale: (shares[period]! * all) / users.length })))
    .flatMap(({ own, scale }, cluster) =>
      own.map((call) => ({ ...call, weight: scale * call.weight, cluster })),
    );
}

/** Keeps this many labels, chosen at random. */
function hideLabels({ below }: Draw, calls: LabelledUnit[], labels: number): readonly ScoredUnit[] {
  for (let i = 0; i < labels; i++) {
    const other = i + below(calls.length - i);
    [calls[i], calls[other]] = [calls[other]!, calls[i]!];
  }
  return calls.map((call, i) => (i < labels ? call : { ...call, label: null }));
}

/** Compares weighted means over calls by the delta method, with users as clusters. */
function compareMeans(
  { control, treatment }: Stratum<readonly ScoredUnit[]>,
  readValue: (unit: ScoredUnit) => number | null,
): TestOutcome | null {
  const toMoments = (units: readonly ScoredUnit[]) => {
    const users = new Map<number, { y: number; d: number }>();
    for (const unit of units) {
      const value = readValue(unit);
      if (value === null) continue;
      const { y, d } = users.get(unit.cluster) ?? { y: 0, d: 0 };
      users.set(unit.cluster, { y: y + unit.weight * value, d: d + unit.weight });
    }
    return ratioMomentsOf(toPairs([...users.values()]));
  };
  return ratioDelta([{ control: toMoments(control), treatment: toMoments(treatment) }]);
}
