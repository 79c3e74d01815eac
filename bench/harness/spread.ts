/** A figure over several rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarizes the rounds of one figure. Needs at least one. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** The value that a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1];
  if (value === undefined) throw new Error("There are no values.");
  return value;
}

/** Writes a spread as `median (min–max)`. */
export function formatSpread({ median, min, max }: Spread): string {
  return `${formatFigure(median)} (${formatFigure(min)}–${formatFigure(max)})`;
}

/** Writes a number with two or three significant digits. */
export function formatFigure(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
