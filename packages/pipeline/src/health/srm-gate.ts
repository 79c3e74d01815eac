import type { AllocationPeriod, ArmExposure, SrmGate } from "@assay/domain";
import { sequentialSrm, srmTest, sumOf } from "@assay/stats";

/** Spec §8: below this p-value the traffic split counts as broken. */
export const SRM_THRESHOLD = 0.001;

/**
 * Keeps the rows of arms that have a share of the users in their period. Other rows are stray: the gate and all metrics leave
 * them out, and a health check counts them.
 */
export function inShare<T extends { readonly arm: string; readonly period: number }>(
  rows: readonly T[],
  periods: readonly AllocationPeriod[],
): readonly T[] {
  return rows.filter(({ arm, period }) => Object.hasOwn(periods[period]?.shares ?? {}, arm));
}

/** Counts users over arms and periods. */
export function countUsers(exposures: readonly ArmExposure[]): number {
  return sumOf(exposures.map(({ users }) => users));
}

/**
 * Compares users per arm, by first exposure, with the allocation of each period (statistics §4).
 * `without` leaves some users out; health entries use it, the gate never does (contract §9).
 */
export function srmGate(
  exposures: readonly ArmExposure[],
  periods: readonly AllocationPeriod[],
  options: { readonly seed: number; readonly without?: "test-users" | "contaminated-users" },
): SrmGate {
  const count = (arm: ArmExposure) => arm.users - leftOut(arm, options.without);
  const arms = armsOf(exposures, periods);
  const split = (periods.length > 0 ? periods : [NO_ALLOCATION]).map(({ shares }, period) => {
    const own = exposures.filter((row) => row.period === period);
    return {
      shares: arms.map((arm) => shares[arm] ?? 0),
      observed: arms.map((arm) => sumOf(own.filter((row) => row.arm === arm).map(count))),
    };
  });
  const observed = arms.map((_, index) => sumOf(split.map((period) => period.observed[index]!)));
  const { pValue, expected } = srmTest({
    observed,
    periods: split.map((period) => ({ shares: period.shares, users: sumOf(period.observed) })),
    seed: options.seed,
  });
  const total = sumOf(observed);
  return {
    status: pValue < SRM_THRESHOLD ? "halted" : "passed",
    pValue,
    pValueSeq: sequentialSrm({ periods: split }).pValue,
    threshold: SRM_THRESHOLD,
    observed: Object.fromEntries(arms.map((arm, index) => [arm, observed[index]!])),
    expected: Object.fromEntries(arms.map((arm, index) => [arm, total === 0 ? 0 : expected[index]! / total])),
  };
}

function leftOut(arm: ArmExposure, whom: "test-users" | "contaminated-users" | undefined): number {
  if (whom === undefined) return 0;
  return whom === "test-users" ? arm.testUsers : arm.contaminatedUsers;
}

/** Used when no version ever assigned anybody: users then cannot come from the allocation. */
const NO_ALLOCATION: AllocationPeriod = { startsAt: 0, shares: {} };

/** Lists allocated arms, and arms with users but no allocation, which alone would break the split. */
function armsOf(exposures: readonly ArmExposure[], periods: readonly AllocationPeriod[]): readonly string[] {
  const allocated = periods.flatMap(({ shares }) => Object.keys(shares));
  return [...new Set([...allocated, ...exposures.map(({ arm }) => arm)])];
}
