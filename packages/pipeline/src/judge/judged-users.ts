import {
  DAY_MS,
  type FirstExposure,
  type MetricDefinition,
  runSeed,
  type ScoredCall,
  TEST_USER_PREFIX,
} from "@assay/domain";

/** A user of an analysis with the judged calls that count. */
export interface JudgedUser {
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  /** The user of a unit that is not itself a user: see `UnitClusters`. */
  readonly cluster?: number;
  /** At least one, ordered by event id. */
  readonly calls: readonly ScoredCall[];
}

/**
 * Selects the scored calls that count, by user, in the order of the users' hashes. The rules for outcomes apply: no
 * test users, no users seen in several arms, nothing before the first exposure or outside the metric's window.
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
    .map(({ userId, arm, period, at, cluster }) => ({
      userId,
      arm,
      period,
      ...(cluster !== undefined && { cluster }),
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
