/**
 * Fine log bins, gamma = 1.02, numbered as in `stats/src/histogram.ts`, which this package may not import.
 * A value v > 0 has bin ceil(ln v / ln 1.02), from -37,592 to 35,842 for a double.
 */
const LN_GAMMA = Math.log(1.02);
const ZERO_BIN = -40_000;
/** The bin of -v is this minus the bin of v: negative values mirror positive ones, below the bin of 0. */
const NEGATIVE_TOP = -80_000;

/** Writes the SQL for the fine bin of a Float64 expression; an infinite sum counts as the largest double. */
export function fineBinSql(v: string): string {
  const size = `greatest(least(abs(${v}), ${Number.MAX_VALUE}), ${Number.MIN_VALUE})`;
  const bin = `toInt32(ceil(log(${size}) / ${LN_GAMMA}))`;
  return `multiIf(${v} = 0, ${ZERO_BIN}, ${v} > 0, ${bin}, ${NEGATIVE_TOP} - ${bin})`;
}
