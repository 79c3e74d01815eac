import type { MetricDefinition, MetricResult, NonInferiority } from "@assay/domain";

interface Intervals extends Pick<MetricResult, "test" | "ciLow" | "ciHigh" | "ciSeqLow" | "ciSeqHigh"> {
  /** Whether the arms have users enough for one tail of the interval to be trusted. */
  readonly isSettled: boolean;
}

/**
 * Judges a treatment's loss by the metric's margin: it is not worse when the 95 % interval of the effect lies wholly within
 * the margin (one-sided, 2.5 %). Null without a margin. A rank test's effect is a probability, on which a margin in the
 * metric's unit says nothing. While a few users weigh too much, nothing is claimed.
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
