/** How many events beyond an org's monthly allowance were reported to the billing provider. */
export interface MeteredOverage {
  /** Reported and acknowledged. */
  readonly reported: number;
  /** The number in the last report. Larger than `reported` while that report is not acknowledged. */
  readonly pending: number;
}

/** A report that raises the provider's number from one value to another. */
export interface OverageReport {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the report that is due; null if the provider knows the overage. A report without an acknowledgement is repeated
 * unchanged, because the provider recognizes a repeat by its numbers. Reported overage is never taken back.
 */
export function dueReport({ reported, pending }: MeteredOverage, overage: number): OverageReport | null {
  const to = pending > reported ? pending : overage;
  return to > reported ? { from: reported, to } : null;
}
