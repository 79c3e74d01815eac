/** One variant's input to the dealing of buckets. */
export interface Arm {
  /** Relative and non-negative; 0 gets no new bucket. */
  readonly weight: number;
  /** Buckets that the variant keeps whatever its weight. */
  readonly claimed: number;
}

/**
 * Computes how many buckets each arm should own: `total` in sum, or the number of claimed buckets if that is larger. No arm gets
 * fewer than its claimed buckets. The sum of |count - ideal| is minimal, where the ideal is the arm's share of `total` by weight.
 * Among such counts the ones closest to proportional win; ties go to the earlier arm.
 */
export function computeTargets(arms: readonly Arm[], total: number): number[] {
  const largest = Math.max(...arms.map((arm) => arm.weight));
  const free = total - sumOf(arms.map((arm) => arm.claimed));
  if (largest === 0 || free <= 0) return arms.map((arm) => arm.claimed);
  // Scaled so that neither huge nor tiny weights overflow.
  const scaled = arms.map(({ weight, claimed }) => ({ weight: weight / largest, claimed }));
  const level = waterLevel(scaled, free);
  const fairLevel = total / sumOf(scaled.map((arm) => arm.weight));
  const counts = scaled.map((arm) => Math.max(arm.claimed, Math.floor(arm.weight * level)));
  for (let left = total - sumOf(counts); left > 0; left--) {
    counts[mostShort(scaled, counts, { level, fairLevel })]! += 1;
  }
  return counts;
}

/**
 * Finds the buckets per unit of weight, m, at which the sum of max(claimed, weight * m) uses up the `free` buckets.
 * The sum is convex in m, so m is the minimum over sets of arms raised above their claims, starting with the neediest.
 */
function waterLevel(arms: readonly Arm[], free: number): number {
  const neediestFirst = arms
    .filter((arm) => arm.weight > 0)
    .sort((a, b) => a.claimed / a.weight - b.claimed / b.weight);
  let level = Number.POSITIVE_INFINITY;
  let buckets = free;
  let weight = 0;
  for (const arm of neediestFirst) {
    buckets += arm.claimed;
    weight += arm.weight;
    level = Math.min(level, buckets / weight);
  }
  return level;
}

/** Picks the arm whose next bucket brings the shares closest to the ideal. Arms that lack at least a whole bucket rank equally. */
function mostShort(
  arms: readonly Arm[],
  counts: readonly number[],
  { level, fairLevel }: { readonly level: number; readonly fairLevel: number },
): number {
  let best = { index: -1, gain: Number.NEGATIVE_INFINITY, remainder: Number.NEGATIVE_INFINITY };
  arms.forEach(({ weight }, index) => {
    if (weight === 0) return;
    const gain = Math.min(1, withoutNoise(weight * fairLevel - counts[index]!));
    const remainder = withoutNoise(weight * level - counts[index]!);
    if (gain > best.gain || (gain === best.gain && remainder > best.remainder))
      best = { index, gain, remainder };
  });
  return best.index;
}

/** Rounds to a millionth of a bucket, so that equal shares stay equal after floating-point arithmetic. */
function withoutNoise(buckets: number): number {
  return Math.round(buckets * 1e6) / 1e6;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
