/** A centered square below this share of the plain square contains only rounding errors. */
const ROUNDING_SHARE = 1e-12;

/** Moments of one value per user, centered: `m2` = Σ(x − mean)². */
export interface Moments {
  readonly n: number;
  readonly mean: number;
  readonly m2: number;
}

/** Moments of two values per user, y over d, centered: `cYD` = Σ(y − meanY)(d − meanD). */
export interface RatioMoments {
  readonly n: number;
  readonly meanY: number;
  readonly meanD: number;
  readonly m2Y: number;
  readonly m2D: number;
  readonly cYD: number;
}

/** Sums of (x − shift) and its square; a shift near the mean keeps the digits of the variance. */
export interface ShiftedSums {
  readonly n: number;
  readonly sum: number;
  readonly sumSquares: number;
  readonly shift: number;
}

/** Sums of the two shifted values of a user and of their product. */
export interface ShiftedRatioSums {
  readonly y: ShiftedSums;
  readonly d: ShiftedSums;
  readonly sumProducts: number;
}

/** Computes the moments of one value per user. */
export function momentsOf(values: Float64Array): Moments {
  const { n, meanY, m2Y } = ratioMomentsOf({ y: values, d: values });
  return { n, mean: meanY, m2: m2Y };
}

/** Computes the moments of two values per user, in two passes to avoid cancellation. Without users the means are NaN. */
export function ratioMomentsOf({
  y,
  d,
}: {
  readonly y: Float64Array;
  readonly d: Float64Array;
}): RatioMoments {
  const n = y.length;
  let sumY = 0;
  let sumD = 0;
  for (let i = 0; i < n; i++) {
    sumY += y[i]!;
    sumD += d[i]!;
  }
  const meanY = sumY / n;
  const meanD = sumD / n;
  let m2Y = 0;
  let m2D = 0;
  let cYD = 0;
  for (let i = 0; i < n; i++) {
    const gapY = y[i]! - meanY;
    const gapD = d[i]! - meanD;
    m2Y += gapY * gapY;
    m2D += gapD * gapD;
    cYD += gapY * gapD;
  }
  return { n, meanY, meanD, m2Y, m2D, cYD };
}

/**
 * Centers shifted sums; null without users or if a sum is not finite (values above about 1e150 overflow).
 * A spread below a millionth of |mean − shift| may be a rounding error and becomes 0.
 */
export function momentsFromSums({ n, sum, sumSquares, shift }: ShiftedSums): Moments | null {
  const m2 = sumSquares - (sum / n) * sum;
  const mean = shift + sum / n;
  if (!Number.isFinite(mean + m2)) return null;
  return { n, mean, m2: m2 > ROUNDING_SHARE * sumSquares ? m2 : 0 };
}

/** Centers the shifted sums of a ratio's two values; null as for `momentsFromSums`. */
export function ratioMomentsFromSums({ y, d, sumProducts }: ShiftedRatioSums): RatioMoments | null {
  const ofY = momentsFromSums(y);
  const ofD = momentsFromSums(d);
  const cYD = sumProducts - (y.sum / y.n) * d.sum;
  if (ofY === null || ofD === null || !Number.isFinite(cYD)) return null;
  return { n: y.n, meanY: ofY.mean, meanD: ofD.mean, m2Y: ofY.m2, m2D: ofD.m2, cYD };
}

/**
 * Merges two groups' moments (Chan, Golub & LeVeque 1983); an empty group changes nothing. Moments that overflow are not
 * finite, and every test returns null for them.
 */
export function mergeMoments(a: Moments, b: Moments): Moments {
  const { n, meanY, m2Y } = mergeRatioMoments(asRatio(a), asRatio(b));
  return { n, mean: meanY, m2: m2Y };
}

/** Merges two groups' ratio moments, as `mergeMoments` does. */
export function mergeRatioMoments(a: RatioMoments, b: RatioMoments): RatioMoments {
  const n = a.n + b.n;
  const shareB = n === 0 ? 0 : b.n / n;
  const gapY = b.meanY - a.meanY;
  const gapD = b.meanD - a.meanD;
  const weight = a.n * shareB;
  return {
    n,
    meanY: a.meanY + gapY * shareB,
    meanD: a.meanD + gapD * shareB,
    m2Y: a.m2Y + b.m2Y + gapY * gapY * weight,
    m2D: a.m2D + b.m2D + gapD * gapD * weight,
    cYD: a.cYD + b.cYD + gapY * gapD * weight,
  };
}

function asRatio({ n, mean, m2 }: Moments): RatioMoments {
  return { n, meanY: mean, m2Y: m2, meanD: 0, m2D: 0, cYD: 0 };
}
