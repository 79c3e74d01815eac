/** A variant's part of the traffic. */
export interface SplitRow {
  readonly arm: string;
  readonly users: number;
  readonly exposures: number;
  /** Share of all users; null without users. */
  readonly observed: number | null;
  /** Share of the buckets in force; null without any. */
  readonly expected: number | null;
}

interface Counted {
  readonly users: Readonly<Record<string, number>>;
  readonly exposures: Readonly<Record<string, number>>;
}

/** Compares each variant's share of users with its share of buckets. */
export function splitRows(
  { users, exposures }: Counted,
  allocation: Readonly<Record<string, number>>,
  arms: readonly string[],
): readonly SplitRow[] {
  const allUsers = arms.reduce((sum, arm) => sum + (users[arm] ?? 0), 0);
  const allBuckets = arms.reduce((sum, arm) => sum + (allocation[arm] ?? 0), 0);
  return arms.map((arm) => ({
    arm,
    users: users[arm] ?? 0,
    exposures: exposures[arm] ?? 0,
    observed: allUsers === 0 ? null : (users[arm] ?? 0) / allUsers,
    expected: allBuckets === 0 ? null : (allocation[arm] ?? 0) / allBuckets,
  }));
}
