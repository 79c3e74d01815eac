/** Users per unit of squared skewness that one mean needs (Kohavi, Deng, Longbotham & Xu 2014, rule 7). */
const USERS_PER_SQUARED_SKEW = 355;
/** The same for arms of equal size. For a share near 0 or 1 this means ten expected cases. */
const LEAST_USERS_PER_SQUARED_SKEW = 10;

/**
 * Computes the skewness of users' values about the mean of their own group (an arm of a stratum), so that a difference
 * between groups does not count as skew. 0 without spread or users.
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

/** A variance below this share of the squared values is a rounding error. */
const ROUNDING = 1e-24;

function largestSize(group: Float64Array): number {
  let size = 0;
  for (const value of group) size = Math.max(size, Math.abs(value));
  return size;
}

/**
 * Computes how many users the smaller arm needs until the difference between the arms is nearly normal in its tail: near enough for a
 * one-sided 2.5% test and for evidence at every look. Rare values lengthen the tail of a mean; between arms of equal size the two tails
 * cancel. With r = smaller / larger arm, the skewness of the difference is the skewness of the smaller arm's mean times
 * (1 - r) / √(1 + r). So the smaller arm needs 355 skewness² (1 - r)² / (1 + r) users, and at least 10 skewness².
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
