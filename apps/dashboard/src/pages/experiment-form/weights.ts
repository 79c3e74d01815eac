const WHOLE = 100;

/** Returns equal weights that sum to 100, rounded to two digits. */
export function equalWeights(count: number): readonly number[] {
  return Array.from({ length: count }, () => Math.round((WHOLE / count) * 100) / 100);
}

/** Returns the share of each weight; zeros when the sum is not positive. */
export function sharesOf(weights: readonly (number | null)[]): readonly number[] {
  const sum = sumOf(weights);
  return weights.map((weight) => (sum > 0 ? (weight ?? 0) / sum : 0));
}

/** Adds up weights; an empty field counts as 0. */
export function sumOf(weights: readonly (number | null)[]): number {
  return weights.reduce<number>((sum, weight) => sum + (weight ?? 0), 0);
}

/** Describes the sum of the weights, and what it means when it is not 100. */
export function sumInWords(weights: readonly (number | null)[]): string {
  const sum = sumOf(weights);
  if (sum <= 0) return "The weights add up to 0. Give at least one variant some traffic.";
  if (Math.abs(sum - WHOLE) < 0.1) return "The weights add up to 100.";
  const written = Math.round(sum * 100) / 100;
  return `The weights add up to ${written}. Each counts as its share of the sum.`;
}
