import { ALPHA } from "../level.ts";

/** The share of the capital that a bet may risk: below 1, so that no outcome loses everything. */
const LARGEST_STAKE = 0.9;
/** Number of halvings that determine a bound within [0, 1] to a millionth. */
const HALVINGS = 20;

/**
 * Computes the 95% interval of the mean of values within [0, 1] by betting (hedged capital with predictable plug-in bets:
 * Waudby-Smith & Ramdas 2024, arXiv 2010.09686, §4). It is valid at any sample size and has a width even if all values are
 * equal. The values must be in random order. Without values it is [0, 1].
 */
export function bettingInterval(values: Float64Array): readonly [low: number, high: number] {
  const bets = plugInBets(values);
  return [
    lowestKept(values, bets),
    1 -
      lowestKept(
        values.map((value) => 1 - value),
        bets,
      ),
  ];
}

/** Sizes each bet by the spread of the values before it: the smaller the spread, the larger the bet. */
function plugInBets(values: Float64Array): Float64Array {
  let [sum, squares, spread] = [0.5, 0.25, 0.25];
  return values.map((value, i) => {
    const bet = Math.sqrt((2 * Math.log(2 / ALPHA)) / (spread * values.length));
    sum += value;
    squares += (value - sum / (i + 2)) ** 2;
    spread = squares / (i + 2);
    return bet;
  });
}

/** Finds the smallest mean that bets on a larger mean do not refute. */
function lowestKept(values: Float64Array, bets: Float64Array): number {
  let [refuted, kept] = [0, values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (refuted + kept) / 2;
    if (isRefuted(middle, values, bets)) refuted = middle;
    else kept = middle;
  }
  return refuted;
}

/** Each side bets half of the capital, so a side must win 2 / α. */
function isRefuted(mean: number, values: Float64Array, bets: Float64Array): boolean {
  let log = 0;
  return values.some((value, i) => {
    log += Math.log1p(Math.min(bets[i]!, LARGEST_STAKE / mean) * (value - mean));
    return log >= Math.log(2 / ALPHA);
  });
}
