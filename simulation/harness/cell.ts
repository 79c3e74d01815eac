import type { Draw } from "../random/draw.ts";

/** The values of one repetition per measure: 1 or 0 for a share, a number for a mean, null when there is none. */
export type Observation = readonly (number | null)[];

/** The required value of a measure. Null in `Measure` means that it is shown, not judged. */
export type Expectation =
  /** Share of repetitions; the band contains it with this probability if each succeeds with probability `rate`. */
  | { readonly kind: "rate"; readonly rate: number; readonly side: Side; readonly level: number }
  /** Mean over repetitions, within `tolerance` and 3.29 standard errors. */
  | { readonly kind: "mean"; readonly value: number; readonly side: Side; readonly tolerance: number };

/**
 * Which deviations are faults: all, or, for a method known to err on the safe side, only those on the other
 * side.
 */
export type Side = "both" | "high" | "low";

export interface Measure {
  readonly name: string;
  readonly format: "percent" | "number";
  readonly expectation: Expectation | null;
}

/** Number of repetitions; `short` 0 leaves the cell out of the short form. */
export interface Repetitions {
  readonly long: number;
  readonly short: number;
}

/** One row of a table: how to draw data, and what to measure. Its id is also the seed. */
export interface Cell {
  readonly id: string;
  /** The row's first columns. */
  readonly labels: readonly string[];
  readonly repetitions: Repetitions;
  readonly measures: readonly Measure[];
  readonly observe: (draw: Draw) => Observation;
}

/** Cells with the same columns. */
export interface CellTable {
  readonly caption: string;
  /** Headings of the label columns. */
  readonly heads: readonly string[];
  readonly cells: readonly Cell[];
}

const BAND = 0.999;
const THREE_STANDARD_ERRORS = 0.9973;

/** A share that must be `rate`, judged by the 99.9% binomial band. */
export function share(name: string, rate: number, side: Side = "both"): Measure {
  return { name, format: "percent", expectation: { kind: "rate", rate, side, level: BAND } };
}

/** A share that is `rate` by theory, judged by three standard errors. */
export function power(name: string, rate: number): Measure {
  return {
    name,
    format: "percent",
    expectation: { kind: "rate", rate, side: "both", level: THREE_STANDARD_ERRORS },
  };
}

/** A share that is only shown. */
export function shownShare(name: string): Measure {
  return { name, format: "percent", expectation: null };
}

/** A mean that must be `value` within `tolerance`. */
export function mean(
  name: string,
  value: number,
  options: { side?: Side; tolerance?: number } = {},
): Measure {
  const { side = "both", tolerance = 0 } = options;
  return { name, format: "number", expectation: { kind: "mean", value, side, tolerance } };
}

/** A mean of shares, such as the share of false discoveries, that must be at most `value`. */
export function meanShare(name: string, value: number): Measure {
  return { name, format: "percent", expectation: { kind: "mean", value, side: "high", tolerance: 0 } };
}

/** A mean that is only shown. */
export function shownMean(name: string): Measure {
  return { name, format: "number", expectation: null };
}
