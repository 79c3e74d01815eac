const GAMMA = 1.02;
const LOG_GAMMA = Math.log(GAMMA);
/** Below every bin of a positive double (−37,592 to 35,842). */
const ZERO_BIN = -40_000;
/** The bin of −v is this minus the bin of v: negative values mirror the positive ones below the bin of 0. */
const NEGATIVE_TOP = -80_000;
const MAX_BINS = 40;
/** The share of all arms' values in each tail that is collected in one bin. */
const TAIL_SHARE = 0.005;
/** The edges for a scale without levels: ten equal bins from 0 to 1. */
const TENTHS = Array.from({ length: 11 }, (_, k) => k / 10);

/** Counts by fine bin. */
export type FineCounts = ReadonlyMap<number, number>;

/** Counts of every arm over the same edges: bin i lies between `binEdges[i]` and `binEdges[i + 1]`. */
export interface SharedHistogram {
  readonly binEdges: readonly number[];
  /** One list per arm, in the order given. */
  readonly counts: readonly (readonly number[])[];
}

/**
 * Returns the fine log bin of a value: ceil(ln v / ln 1.02) for v > 0, so a bin's edges are 2% apart. 0 has its own bin, and
 * negative values mirror the positive ones. Bins are in the order of the values.
 */
export function fineBin(value: number): number {
  if (value === 0) return ZERO_BIN;
  // The sum turns −0 into 0.
  const bin = Math.ceil(Math.log(Math.min(Math.abs(value), Number.MAX_VALUE)) / LOG_GAMMA) + 0;
  return value > 0 ? bin : NEGATIVE_TOP - bin;
}

/** Puts a binary metric's counts between the edges −½, ½ and 1½: users without and with success. */
export function binaryHistogram(arms: readonly FineCounts[]): SharedHistogram {
  return {
    binEdges: [-0.5, 0.5, 1.5],
    counts: arms.map((bins) => {
      const failures = bins.get(ZERO_BIN) ?? 0;
      return [failures, total(bins) - failures];
    }),
  };
}

/**
 * Groups fine bins into at most 40 bins that all arms share. Bins over the 0.5–99.5% range of all arms together contain equal
 * numbers of whole fine bins; one bin below and one above reach to the outermost fine bins. Counts stay exact. Zero has a bin
 * that extends to the nearest positive (and negative) value. If all values are zero, the edges are ∓½.
 */
export function sharedHistogram(arms: readonly FineCounts[]): SharedHistogram {
  const pooled = pool(arms);
  const starts = binStarts(pooled);
  if (starts.length < 2) return { binEdges: [-0.5, 0.5], counts: arms.map((bins) => [total(bins)]) };
  return { binEdges: starts.map(lowerEdge), counts: arms.map((bins) => countByStart(bins, starts)) };
}

type PooledBins = readonly (readonly [bin: number, count: number])[];

function total(bins: FineCounts): number {
  return [...bins.values()].reduce((sum, count) => sum + count, 0);
}

function pool(arms: readonly FineCounts[]): PooledBins {
  const pooled = new Map<number, number>();
  for (const [bin, count] of arms.flatMap((bins) => [...bins]))
    pooled.set(bin, (pooled.get(bin) ?? 0) + count);
  return [...pooled].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
}

/** Lists the first fine bin of every shared bin, followed by the one after the last. */
function binStarts(pooled: PooledBins): number[] {
  const bins = pooled.map(([bin]) => bin);
  const [first = ZERO_BIN, last = ZERO_BIN] = [bins[0], bins.at(-1)];
  if (first === ZERO_BIN && last === ZERO_BIN) return [];
  const { low, high } = quantileBins(pooled);
  const nearest = {
    negative: bins.findLast((bin) => bin < ZERO_BIN) ?? ZERO_BIN - 1,
    positive: bins.find((bin) => bin > ZERO_BIN) ?? ZERO_BIN + 1,
  };
  return [
    ...(first < low ? [first] : []),
    ...bodyStarts({ low, high }, nearest),
    high === ZERO_BIN ? nearest.positive : high + 1,
    ...(last > high ? [last + 1] : []),
  ];
}

interface BinRange {
  readonly low: number;
  readonly high: number;
}

function quantileBins(pooled: PooledBins): BinRange {
  const limit = TAIL_SHARE * pooled.reduce((sum, [, count]) => sum + count, 0);
  return { low: firstBeyond(pooled, limit), high: firstBeyond(pooled.toReversed(), limit) };
}

/** Returns the first bin at which the running sum of the counts exceeds the limit. */
function firstBeyond(pooled: PooledBins, limit: number): number {
  let below = 0;
  const isBeyond = (count: number) => {
    below += count;
    return below > limit;
  };
  return pooled.find(([, count]) => isBeyond(count))![0];
}

/** Divides the range on either side of zero into groups of equal width, as narrow as the number of bins allows. */
function bodyStarts(
  { low, high }: BinRange,
  nearest: { readonly negative: number; readonly positive: number },
): number[] {
  const zero = low <= ZERO_BIN && high >= ZERO_BIN ? [nearest.negative + 1] : [];
  const sides = [
    { from: low, to: Math.min(high, nearest.negative) + 1 },
    { from: Math.max(low, nearest.positive), to: high + 1 },
  ].filter(({ from, to }) => from < to);
  const budget = MAX_BINS - 2 - zero.length;
  let width = 1;
  while (sides.reduce((sum, { from, to }) => sum + Math.ceil((to - from) / width), 0) > budget) width++;
  const groups = sides.flatMap(({ from, to }) =>
    Array.from({ length: Math.ceil((to - from) / width) }, (_, group) => from + group * width),
  );
  return [...groups, ...zero].sort((a, b) => a - b);
}

function lowerEdge(bin: number): number {
  if (bin === ZERO_BIN) return 0;
  return bin > ZERO_BIN ? power(bin - 1) : -power(NEGATIVE_TOP - bin);
}

/** Returns the edges of a fine bin; for the bin of 0 both are 0. */
export function fineBinEdges(bin: number): readonly [low: number, high: number] {
  return [lowerEdge(bin), bin < ZERO_BIN ? lowerEdge(bin + 1) : bin === ZERO_BIN ? 0 : power(bin)];
}

function power(exponent: number): number {
  return Math.min(GAMMA ** exponent, Number.MAX_VALUE);
}

function countByStart(bins: FineCounts, starts: readonly number[]): number[] {
  const counts = new Array<number>(starts.length - 1).fill(0);
  for (const [bin, count] of bins) {
    const index = starts.findLastIndex((start) => start <= bin);
    if (count > 0) counts[index]! += count;
  }
  return counts;
}

/**
 * Puts scores, counted by value, into bins that all arms share: one around each of the scale's levels (ascending, 1 apart), or
 * ten equal bins from 0 to 1 if the scale has no levels. A score on an edge counts in the bin above; a score outside the scale
 * counts in the outermost bin.
 */
export function scoreHistogram(
  arms: readonly ReadonlyMap<number, number>[],
  levels: readonly number[] | null,
): SharedHistogram {
  const binEdges = levels === null ? TENTHS : [levels[0]! - 0.5, ...levels.map((level) => level + 0.5)];
  const inner = binEdges.slice(1, -1);
  return {
    binEdges,
    counts: arms.map((scores) => {
      const counts = new Array<number>(inner.length + 1).fill(0);
      for (const [score, count] of scores) counts[inner.filter((edge) => edge <= score).length]! += count;
      return counts;
    }),
  };
}
