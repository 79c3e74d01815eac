/** The first days of a month say little about the rest. */
const EARLIEST_SHARE = 0.1;

export type Projection =
  | { readonly kind: "too-early" }
  | { readonly kind: "projected"; readonly total: number; readonly fullAt: string | null };

interface Used {
  readonly used: number;
  /** Null: unlimited. */
  readonly allowance: number | null;
  /** The end of the UTC month, RFC 3339. */
  readonly resetsAt: string;
}

/**
 * Projects the month's use linearly to the end of the UTC month. `fullAt` is the UTC day on which the allowance would be reached; null when it would not be, or already is.
 */
export function projectMonth({ used, allowance, resetsAt }: Used, now: number): Projection {
  const end = Date.parse(resetsAt);
  const start = startOfMonthBefore(end);
  const share = Math.min(1, (now - start) / (end - start));
  if (share < EARLIEST_SHARE) return { kind: "too-early" };
  const total = Math.round(used / share);
  const willFill = allowance !== null && used < allowance && total > allowance;
  const fullAt = willFill ? start + ((now - start) * allowance) / used : null;
  return {
    kind: "projected",
    total,
    fullAt: fullAt === null ? null : new Date(fullAt).toISOString().slice(0, 10),
  };
}

/** Returns the start of the month that ends at `end`. */
function startOfMonthBefore(end: number): number {
  const date = new Date(end);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 1);
}
