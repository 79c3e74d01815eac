/** How many events of an org's month beyond its allowance the billing provider was told of. */
export interface MeteredOverage {
  /** Told, and acknowledged. */
  readonly reported: number;
  /** What the last report brings it to. Above `reported` while its acknowledgement is missing. */
  readonly pending: number;
}

/** A report that brings what the provider knows from one number to another. */
export interface OverageReport {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the report that is due; null when the provider knows the overage. A report without an acknowledgement is repeated as it was,
 * because the provider recognizes a repeat by its numbers. What was reported is never taken back.
 */
export function dueReport({ reported, pending }: MeteredOverage, overage: number): OverageReport | null {
  const to = pending > reported ? pending : overage;
  return to > reported ? { from: reported, to } : null;
}
