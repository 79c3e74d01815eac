import { type ArmSampler, emptySums } from "./arm-sums.ts";
import { drawMarked } from "./hypergeometric.ts";

/** Values and how many users of both arms have each. */
export interface ValueTotals {
  readonly values: readonly number[];
  readonly totals: readonly number[];
}

/**
 * Samples how many of each value the first arm gets: a multivariate hypergeometric vector, value by value. Costs as much
 * per value as thousands of users do one by one, however many users have it.
 */
export function countSampler({ values, totals }: ValueTotals, size: number): ArmSampler {
  const users = totals.reduce((a, b) => a + b, 0);
  return (stream, relabelings) => {
    const sums = emptySums(relabelings);
    for (let p = 0; p < relabelings; p++) {
      let [others, drawn] = [users, size];
      for (let i = 0; i < values.length; i++) {
        const marked = totals[i]!;
        others -= marked;
        const count = drawMarked({ marked, others, drawn }, stream);
        drawn -= count;
        sums.sum[p]! += count * values[i]!;
        sums.squares[p]! += count * values[i]! * values[i]!;
      }
    }
    return sums;
  };
}
