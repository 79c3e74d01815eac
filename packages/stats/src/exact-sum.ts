/** A second value beyond this magnitude makes a sum infinite, so that overflow does not depend on the order of the values. */
const HUGE = 2 ** 1010;
/** Less than a huge value, and more than the sum of any number of usual values. */
const NEARLY_HUGE = 2 ** 1005;

/**
 * Adds a value to a sum without error. The sum is stored as non-overlapping partial sums of ascending magnitude; an empty list is 0.
 * Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997, grow-expansion with zero elimination.
 *
 *     const partials: number[] = [];
 *     for (const value of [1e16, 1, -1e16]) addExactly(partials, value);
 *     roundedSum(partials); // 1
 */
export function addExactly(partials: number[], value: number): void {
  const largest = Math.abs(partials.at(-1) ?? 0);
  if (largest > NEARLY_HUGE && (Math.abs(value) > HUGE || largest === Number.POSITIVE_INFINITY))
    partials.splice(0, partials.length, Number.POSITIVE_INFINITY);
  else grow(partials, value);
}

function grow(partials: number[], value: number): void {
  let sum = value;
  let kept = 0;
  for (let i = 0; i < partials.length; i++) {
    const partial = partials[i]!;
    const isLess = Math.abs(sum) < Math.abs(partial);
    const large = isLess ? partial : sum;
    const small = isLess ? sum : partial;
    sum = large + small;
    if (!Number.isFinite(sum)) {
      partials.splice(0, partials.length, Number.POSITIVE_INFINITY);
      return;
    }
    const rest = small - (sum - large);
    if (rest !== 0) partials[kept++] = rest;
  }
  if (sum !== 0) partials[kept++] = sum;
  while (partials.length > kept) partials.pop();
}

/** Returns the double that is nearest to an exact sum, ties to even; infinity after a second value beyond 2^1010. */
export function roundedSum(partials: readonly number[]): number {
  let i = partials.length - 1;
  if (i < 0) return 0;
  let sum = partials[i]!;
  let rest = 0;
  while (i > 0 && rest === 0) {
    const [large, small] = [sum, partials[--i]!];
    sum = large + small;
    rest = small - (sum - large);
  }
  // Halfway between two doubles, the sign of the next partial sum decides.
  if (i > 0 && rest !== 0 && Math.sign(rest) === Math.sign(partials[i - 1]!)) {
    const further = sum + 2 * rest;
    if (further - sum === 2 * rest) return further;
  }
  return sum;
}

/** Returns partial sums that do not depend on the order in which values were added: each is the nearest double to the remainder. */
export function canonicalPartials(partials: readonly number[]): readonly number[] {
  if (partials.length < 2) return partials;
  const left = [...partials];
  const canonical: number[] = [];
  for (let next = roundedSum(left); next !== 0; next = roundedSum(left)) {
    canonical.unshift(next);
    if (next === Number.POSITIVE_INFINITY) break;
    grow(left, -next);
  }
  return canonical;
}
