import { binomialBand } from "@assay/stats";
import type { Expectation, Measure, Side } from "./cell.ts";
import type { Tally } from "./run-cell.ts";

/** 99.9% of a normal distribution lies within this many standard deviations. */
const STANDARD_ERRORS = 3.29;

/** The limits of a figure; null on an open side. */
export interface Limits {
  readonly low: number | null;
  readonly high: number | null;
}

export interface Verdict {
  readonly measure: Measure;
  readonly tally: Tally;
  /** Null when the measure is only shown. */
  readonly limits: Limits | null;
  readonly isInside: boolean;
}

/** Compares a tally with the required value of its measure. A measure without repetitions is outside. */
export function toVerdict(measure: Measure, tally: Tally): Verdict {
  const { expectation } = measure;
  if (expectation === null) return { measure, tally, limits: null, isInside: true };
  const limits = openSide(limitsOf(expectation, tally), expectation.side);
  const { low, high } = limits;
  const isInside =
    tally.count > 0 && (low === null || tally.mean >= low) && (high === null || tally.mean <= high);
  return { measure, tally, limits, isInside };
}

function limitsOf(expectation: Expectation, { count, standardError }: Tally): { low: number; high: number } {
  if (expectation.kind === "mean") {
    const half = expectation.tolerance + STANDARD_ERRORS * standardError;
    return { low: expectation.value - half, high: expectation.value + half };
  }
  const band = binomialBand(count, expectation.rate, expectation.level);
  return { low: band.low / count, high: band.high / count };
}

function openSide({ low, high }: { low: number; high: number }, side: Side): Limits {
  return { low: side === "high" ? null : low, high: side === "low" ? null : high };
}
