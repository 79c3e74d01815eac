import type { ArmShare } from "@assay/domain";
import { type BinaryCounts, fisherExact, smallestExpectedCell, twoProportionZ } from "@assay/stats";

/** Differences below one percentage point never alarm, however certain they are. */
export const GAP_THRESHOLD = 0.01;
/** As strict as the SRM gate, because health is checked every day. */
const LEVEL = 0.001;
/** Below this the normal approximation of proportions is too coarse. */
const MIN_EXPECTED_CELL = 10;

export interface Gap {
  readonly arm: string;
  /** Absolute difference of the arm's share from control's. */
  readonly gap: number;
}

/**
 * Finds the arm whose share differs most from control's, by at least `GAP_THRESHOLD` and more than chance explains; null
 * when none does. Events of one user are not independent, so an arm counts at most as many events as it has users, as if
 * all events of a user had the same outcome. That is cautious when users have about equally many events. The level is
 * divided by the number of arms compared (Bonferroni).
 */
export function alarmingGap(
  control: string,
  arms: Readonly<Record<string, ArmShare>>,
  usersOf: (arm: string) => number,
): Gap | null {
  const base = arms[control];
  if (base === undefined || base.of === 0) return null;
  const others = Object.entries(arms).filter(([arm, { of }]) => arm !== control && of > 0);
  const alarming = others
    .map(([arm, own]) => ({
      arm,
      gap: Math.abs(own.count / own.of - base.count / base.of),
      pValue: pValueOf(countsOf(base, usersOf(control)), countsOf(own, usersOf(arm))),
    }))
    .filter(({ gap, pValue }) => gap >= GAP_THRESHOLD && pValue < LEVEL / others.length)
    .sort((a, b) => b.gap - a.gap)[0];
  return alarming === undefined ? null : { arm: alarming.arm, gap: alarming.gap };
}

function countsOf({ count, of }: ArmShare, users: number): BinaryCounts {
  const n = Math.max(1, Math.min(of, users));
  return { n, successes: Math.round((count / of) * n) };
}

function pValueOf(control: BinaryCounts, treatment: BinaryCounts): number {
  const isLarge = smallestExpectedCell([{ control, treatment }]) >= MIN_EXPECTED_CELL;
  const outcome = isLarge ? twoProportionZ([{ control, treatment }]) : fisherExact(control, treatment);
  return outcome!.pValue;
}
