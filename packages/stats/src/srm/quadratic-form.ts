import type { SplitModel } from "./split-model.ts";

/** A remaining variance below this share of an arm's own variance counts as 0: previous arms then determine the arm's count. */
const RANK_TOLERANCE = 1e-9;
/** Counts are whole numbers, so a determined count that differs by more than this is wrong. */
const COUNT_TOLERANCE = 1e-3;

/** Measures how far counts are from the expectation. */
export interface QuadraticForm {
  /** Rank of the covariance: arms − 1, or less if the allocation determines further counts. */
  readonly df: number;
  /** Computes (O − E)ᵀ V⁻ (O − E); null if the allocation cannot produce the counts. */
  readonly distance: (observed: readonly number[]) => number | null;
}

/** Prepares the quadratic form of a split from the LDLᵀ factors of its covariance, leaving out zero pivots. */
export function quadraticForm({ expected, covariance }: SplitModel): QuadraticForm {
  const { lower, pivots } = factor(covariance);
  const distance = (observed: readonly number[]) => {
    const residuals: number[] = [];
    let sum = 0;
    for (const [i, pivot] of pivots.entries()) {
      const explained = residuals.reduce((total, r, j) => total + lower[i]![j]! * r, 0);
      const residual = observed[i]! - expected[i]! - explained;
      if (pivot === 0 && Math.abs(residual) > COUNT_TOLERANCE) return null;
      residuals.push(pivot === 0 ? 0 : residual);
      sum += pivot === 0 ? 0 : (residual * residual) / pivot;
    }
    return sum;
  };
  return { df: pivots.filter((pivot) => pivot > 0).length, distance };
}

function factor(covariance: SplitModel["covariance"]) {
  const lower: number[][] = [];
  const pivots: number[] = [];
  for (const [i, row] of covariance.entries()) {
    const own: number[] = [];
    for (let j = 0; j < i; j++) {
      const explained = own.reduce((total, l, k) => total + l * lower[j]![k]! * pivots[k]!, 0);
      own.push(pivots[j] === 0 ? 0 : (row[j]! - explained) / pivots[j]!);
    }
    const remaining = row[i]! - own.reduce((total, l, k) => total + l * l * pivots[k]!, 0);
    lower.push(own);
    pivots.push(remaining > RANK_TOLERANCE * row[i]! ? remaining : 0);
  }
  return { lower, pivots };
}
