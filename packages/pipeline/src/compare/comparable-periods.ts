import type { AllocationPeriod } from "@assay/domain";

/** Shares are quotients of whole buckets: closer ones differ by rounding only. */
const SAME_RATIO = 1e-9;

/**
 * Groups the allocation periods (by index) that dealt users to two arms at the same ratio: within a group the arms differ
 * by chance only, across groups also by when their users came (Simpson's paradox). A period that gave one of the arms
 * nobody has nothing to compare and is in no group.
 */
export function comparablePeriods(
  periods: readonly AllocationPeriod[],
  arms: { readonly control: string; readonly treatment: string },
): readonly (readonly number[])[] {
  const groups: { readonly ratio: number; readonly members: number[] }[] = [];
  for (const [index, { shares }] of periods.entries()) {
    const [control, treatment] = [shares[arms.control] ?? 0, shares[arms.treatment] ?? 0];
    if (control === 0 || treatment === 0) continue;
    const ratio = treatment / (control + treatment);
    const group = groups.find((other) => Math.abs(other.ratio - ratio) < SAME_RATIO);
    if (group) group.members.push(index);
    else groups.push({ ratio, members: [index] });
  }
  return groups.map(({ members }) => members);
}
