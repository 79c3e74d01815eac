/** Users for each unit of squared skewness that the tail of one mean needs (Kohavi, Deng, Longbotham & Xu 2014, rule 7). */
const USERS_PER_SQUARED_SKEW = 355;
/** What arms of equal size need: of a share near 0 or 1 it is ten expected cases. */
const LEAST_USERS_PER_SQUARED_SKEW = 10;

/**
 * Computes the skewness of users' values about the mean of their own group (an arm of a stratum), so that a difference
 * between the groups is no skew. 0 without spread or users.
 */
export function skewnessOf(groups: readonly Float64Array[]): number {
  const scale = Math.max(0, ...groups.map(largestSize));
  if (scale === 0) return 0;
  let [n, squares, cubes] = [0, 0, 0];
  for (const group of groups) {
    let sum = 0;
    for (const value of group) sum += value / scale;
    const mean = sum / group.length;
    for (const value of group) {
      const gap = value / scale - mean;
      squares += gap * gap;
      cubes += gap * gap * gap;
    }
    n += group.length;
  }
  return squares > ROUNDING * n ? (cubes * Math.sqrt(n)) / squares ** 1.5 : 0;
}

/** A variance below this part of the squared values is rounding. */
const ROUNDING = 1e-24;

function largestSize(group: Float64Array): number {
  let size = 0;
  for (const value of group) size = Math.max(size, Math.abs(value));
  return size;
}

/**
 * Computes the users that the smaller arm needs until the tail of the difference between the arms is near enough to normal for a
 * one-sided 2.5 % and for evidence that holds at every look. A rare value lengthens the tail of a mean; between arms of the same
 * size the two tails cancel. With r = smaller / larger arm the skewness of the difference is that of a mean of the smaller
 * arm times (1 - r) / √(1 + r), so the smaller arm needs 355 skewness² (1 - r)² / (1 + r), and 10 skewness² at least.
 */
export function usersForSkew(skewness: number, { control, treatment }: ArmSizes): number {
  const r = Math.min(control, treatment) / Math.max(control, treatment);
  const perSquare = (USERS_PER_SQUARED_SKEW * (1 - r) ** 2) / (1 + r);
  return Math.ceil(Math.max(LEAST_USERS_PER_SQUARED_SKEW, perSquare) * skewness * skewness);
}

interface ArmSizes {
  readonly control: number;
  readonly treatment: number;
}
