const WHOLE = 100;

/** Returns weights that sum to 100 and differ by no more than the rounding to two digits. */
export function equalWeights(count: number): readonly number[] {
  return Array.from({ length: count }, () => Math.round((WHOLE / count) * 100) / 100);
}

/** Returns the share that each weight comes to; zeros when there is no positive sum. */
export function sharesOf(weights: readonly (number | null)[]): readonly number[] {
  const sum = sumOf(weights);
  return weights.map((weight) => (sum > 0 ? (weight ?? 0) / sum : 0));
}

/** Adds weights up; an empty field counts nothing. */
export function sumOf(weights: readonly (number | null)[]): number {
  return weights.reduce<number>((sum, weight) => sum + (weight ?? 0), 0);
}

/** Says what the weights add up to, and what that means when it is not 100. */
export function sumInWords(weights: readonly (number | null)[]): string {
  const sum = sumOf(weights);
  if (sum <= 0) return "The weights add up to nothing: give at least one variant some traffic.";
  if (Math.abs(sum - WHOLE) < 0.1) return "The weights add up to 100.";
  const written = Math.round(sum * 100) / 100;
  return `The weights add up to ${written}: each counts as its share of that.`;
}
