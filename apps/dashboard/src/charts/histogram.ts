import type { Distribution } from "../api/types.ts";
import { sum } from "../format/numbers.ts";

/** The axis of a histogram: logarithmic, or with bins of equal width. */
export type BinScale = "log" | "bins";

/** A bin of one arm on the axis. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  /** Of the arm's values. */
  readonly share: number;
}

/** Positive values have logarithmic bins. A bin at or below zero rules that out. */
export function binScale({ bin_edges: edges }: Distribution): BinScale {
  return edges.length > 2 && edges.every((edge) => edge > 0) ? "log" : "bins";
}

/** Places an arm's counts on the axis, as shares of its values. */
export function barsOf({ bin_edges: edges, counts }: Distribution, scale: BinScale): readonly Bar[] {
  const total = sum(counts);
  const place = (index: number) => (scale === "log" ? (edges[index] ?? 0) : index);
  return counts.map((value, bin) => ({
    from: place(bin),
    to: place(bin + 1),
    share: total === 0 ? 0 : value / total,
  }));
}

/** Returns the outline of the bars: a line that drops to zero at both ends. */
export function outlineOf(bars: readonly Bar[]): readonly { readonly x: number; readonly share: number }[] {
  const first = bars[0];
  const last = bars.at(-1);
  if (first === undefined || last === undefined) return [];
  return [
    { x: first.from, share: 0 },
    ...bars.flatMap(({ from, to, share }) => [
      { x: from, share },
      { x: to, share },
    ]),
    { x: last.to, share: 0 },
  ];
}

/** Estimates a quantile from bins: its place on the axis and its value. Exact in a bin of one value. Null without values. */
export function quantileOf(
  distribution: Distribution,
  share: number,
  scale: BinScale,
): { readonly x: number; readonly value: number } | null {
  const { bin_edges: edges, counts } = distribution;
  const wanted = share * sum(counts);
  let below = 0;
  for (const [bin, inside] of counts.entries()) {
    if (inside > 0 && below + inside >= wanted) {
      const only = onlyValue(edges, bin);
      if (only !== null) return { x: bin + 0.5, value: only };
      const part = (wanted - below) / inside;
      const value = between([edges[bin] ?? 0, edges[bin + 1] ?? 0], part, scale);
      return { x: scale === "log" ? value : bin + part, value };
    }
    below += inside;
  }
  return null;
}

/** The value that all values of a bin share. A level has a bin around it, and zero has one up to its nearest neighbors. */
function onlyValue(edges: readonly number[], bin: number): number | null {
  const [low, high] = [edges[bin] ?? 0, edges[bin + 1] ?? 0];
  if (edges.every((edge) => Math.abs(edge % 1) === 0.5)) return (low + high) / 2;
  return low <= 0 && high > 0 && !isOfTenths(edges) ? 0 : null;
}

/** Scores of a scale without levels: the first bin contains all from 0 to .1. */
function isOfTenths(edges: readonly number[]): boolean {
  return edges.length === 11 && edges.every((edge, index) => Math.abs(edge - index / 10) < 1e-9);
}

function between([low, high]: readonly [number, number], part: number, scale: BinScale): number {
  return scale === "log" ? low * (high / low) ** part : low + part * (high - low);
}

/** Returns whether the values are binary: one bin for 0 and one for 1, of a binary metric or of shares that are all 0 or 1. */
export function isBinary({ bin_edges: edges }: Distribution): boolean {
  const [low, , high] = edges;
  return edges.length === 3 && ((low === -0.5 && high === 1.5) || (low === 0 && high === 1));
}

/** Spreads at most `most` ticks evenly along a logarithmic axis, at values of one digit. */
export function logTicks(edges: readonly number[], most: number): readonly number[] {
  const [low, high] = [edges[0] ?? 1, edges.at(-1) ?? 1];
  const steps = Math.max(1, Math.floor(most) - 1);
  const even = Array.from({ length: steps + 1 }, (_, step) => low * (high / low) ** (step / steps));
  const round = even.map((value) => Number(value.toPrecision(1)));
  return [...new Set(round)].filter((value) => value >= low && value <= high);
}
