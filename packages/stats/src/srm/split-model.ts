/** A stretch of constant allocation: the arms' shares (of any scale) and the users first exposed in it. */
export interface AllocationShare {
  readonly shares: readonly number[];
  readonly users: number;
}

/** The allocation's expectation over all periods: users per arm and their covariance. */
export interface SplitModel {
  readonly expected: readonly number[];
  readonly covariance: readonly (readonly number[])[];
}

/** Scales shares to a sum of 1. */
export function toWeights(shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** Sums the periods, each of which is one multinomial draw: E = Σ N w and V = Σ N (diag w − w wᵀ). */
export function splitModel(periods: readonly AllocationShare[], arms: number): SplitModel {
  const expected = new Array<number>(arms).fill(0);
  const covariance = expected.map(() => new Array<number>(arms).fill(0));
  for (const { shares, users } of periods) {
    const weights = toWeights(shares);
    for (const [i, a] of weights.entries()) {
      expected[i]! += users * a;
      for (const [j, b] of weights.entries()) covariance[i]![j]! += users * (i === j ? a * (1 - a) : -a * b);
    }
  }
  return { expected, covariance };
}
