/** Returns the fine log bin of a value, numbered as in `stats/src/histogram.ts`. */
export function fineBin(value: number): number {
  if (value === 0) return -40_000;
  const bin = Math.ceil(Math.log(Math.min(Math.abs(value), Number.MAX_VALUE)) / Math.log(1.02));
  return value > 0 ? bin : -80_000 - bin;
}
