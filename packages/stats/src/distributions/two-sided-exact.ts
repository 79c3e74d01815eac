/** Outcomes whose probability exceeds the observed one by no more than this count as equal (R's and scipy's convention). */
const TIE_TOLERANCE = 1e-7;

/** A distribution on the whole numbers `low` to `high` whose probabilities decrease on both sides of `mode`. */
export interface UnimodalDistribution {
  readonly logPmf: (k: number) => number;
  readonly low: number;
  readonly high: number;
  readonly mode: number;
}

/**
 * Computes the two-sided exact p-value: the probability of all outcomes no more likely than the observed one.
 * Small values keep their relative accuracy; the work grows with the log of the range and the width of the tails.
 */
export function twoSidedExact(distribution: UnimodalDistribution, observed: number): number {
  const { logPmf, low, high, mode } = distribution;
  const limit = logPmf(observed) + TIE_TOLERANCE;
  if (logPmf(mode) <= limit) return 1;
  const below = tailBeyond((steps) => logPmf(mode - steps), mode - low, limit);
  const above = tailBeyond((steps) => logPmf(mode + steps), high - mode, limit);
  return Math.min(1, below + above);
}

/** Sums the probabilities up to `limit` on one side. Bisection finds where they start, because they decrease from the mode. */
function tailBeyond(logPmf: (steps: number) => number, steps: number, limit: number): number {
  let inside = 0;
  let first = steps + 1;
  while (first - inside > 1) {
    const middle = Math.floor((inside + first) / 2);
    if (logPmf(middle) <= limit) first = middle;
    else inside = middle;
  }
  let sum = 0;
  for (let k = first; k <= steps; k++) {
    const term = Math.exp(logPmf(k));
    sum += term;
    if (term <= sum * 1e-17) break;
  }
  return sum;
}
