import type { MetricDefinition, MetricResult, NonInferiority } from "@assay/domain";

interface Intervals extends Pick<MetricResult, "test" | "ciLow" | "ciHigh" | "ciSeqLow" | "ciSeqHigh"> {
  /** Whether the arms have enough users to trust a single tail of the interval. */
  readonly isSettled: boolean;
}

/**
 * Judges a treatment's loss by the metric's margin. It is not worse if the 95% interval of the effect excludes a larger loss
 * (one-sided, 2.5%). Null without a margin, and for a rank test: its effect is a probability, which cannot be compared with a
 * margin in the metric's unit. While a few users weigh too much (`isSettled`), nothing is claimed.
 */
export function nonInferiority(
  { margin, desired }: Pick<MetricDefinition, "margin" | "desired">,
  { test, ciLow, ciHigh, ciSeqLow, ciSeqHigh, isSettled }: Intervals,
): NonInferiority | null {
  if (margin === null) return null;
  if (!isSettled || !takesMargin(test))
    return { margin, worstLoss: null, isNotWorse: false, isNotWorseSeq: false };
  const lossOf = (low: number | null, high: number | null) => (desired === "increase" ? low && -low : high);
  const [worstLoss, worstLossSeq] = [lossOf(ciLow, ciHigh), lossOf(ciSeqLow, ciSeqHigh)];
  return {
    margin,
    worstLoss,
    isNotWorse: worstLoss !== null && worstLoss < margin,
    isNotWorseSeq: worstLossSeq !== null && worstLossSeq < margin,
  };
}

/** Returns whether a test's effect is in the metric's unit. */
export function takesMargin(test: string): boolean {
  return test !== "mann_whitney_u";
}
