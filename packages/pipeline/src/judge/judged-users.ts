import {
  DAY_MS,
  type FirstExposure,
  type MetricDefinition,
  runSeed,
  type ScoredCall,
  TEST_USER_PREFIX,
} from "@assay/domain";

/** A user of an analysis and the judged calls that count. */
export interface JudgedUser {
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  /** At least one; by event id. */
  readonly calls: readonly ScoredCall[];
}

/**
 * Keeps of the scored calls those that count, by user, in the order of the users' hashes: the rules for outcomes hold. No
 * test users, none seen in several arms, nothing before the first exposure or outside the metric's window.
 */
export function judgedUsers(
  calls: readonly ScoredCall[],
  exposures: readonly FirstExposure[],
  { windowDays, until }: Pick<MetricDefinition, "windowDays"> & { readonly until: number },
): readonly JudgedUser[] {
  const windowMs = windowDays === null ? null : windowDays * DAY_MS;
  const byUser = Map.groupBy(calls, ({ userId }) => userId);
  return exposures
    .filter(({ userId, isContaminated }) => !isContaminated && !userId.startsWith(TEST_USER_PREFIX))
    .filter(({ at }) => windowMs === null || at + windowMs <= until)
    .map(({ userId, arm, period, at }) => ({
      userId,
      arm,
      period,
      calls: (byUser.get(userId) ?? []).filter(
        (call) =>
          call.arm === arm && call.occurredAt >= at && (windowMs === null || call.occurredAt < at + windowMs),
      ),
    }))
    .filter((user) => user.calls.length > 0)
    .map((user) => ({ user, hash: runSeed(user.userId) }))
    .sort((a, b) => a.hash - b.hash || (a.user.userId < b.user.userId ? -1 : 1))
    .map(({ user }) => user);
}
