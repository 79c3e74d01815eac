/**
 * Computes the exact two-sided p-value of the rank sum test without ties: twice the smaller tail, at most 1 (as R does).
 * `u` counts the pairs won by either arm; below 1e15 orders of the users, all counts are exact.
 */
export function exactRankSumP(
  u: number,
  { control, treatment }: { control: number; treatment: number },
): number {
  const orders = ordersByWins(control, treatment);
  // The distribution is symmetric.
  const last = Math.min(u, control * treatment - u);
  const tail = orders.slice(0, last + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * tail) / orders.reduce((sum, count) => sum + count, 0));
}

/**
 * Counts the orders of m and n users by the pairs won: the coefficients of the Gaussian binomial
 * Π (1 − q^(n+i)) / (1 − q^i), i = 1…m, multiplied and divided factor by factor.
 */
function ordersByWins(m: number, n: number): Float64Array {
  const counts = new Float64Array(m * n + 1);
  counts[0] = 1;
  for (let i = 1; i <= m; i++) {
    for (let u = m * n; u >= n + i; u--) counts[u]! -= counts[u - n - i]!;
    for (let u = i; u <= m * n; u++) counts[u]! += counts[u - i]!;
  }
  return counts;
}
