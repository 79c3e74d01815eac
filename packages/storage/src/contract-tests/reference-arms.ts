import {
  type AnalysisQuery,
  type ArmExposure,
  type ArmMetric,
  type ArmSnapshot,
  DAY_MS,
  dayOf,
  type MetricQuery,
  type StoredEvent,
  TEST_USER_PREFIX,
} from "@assay/domain";
import {
  areSampled,
  capOf,
  inSample,
  metricSums,
  metricVector,
  type ReferenceVector,
  valuesOf,
  windowMs,
} from "./reference-metric.ts";

/** A snapshot with lists as vectors, in no particular order of the users. */
export interface ReferenceSnapshot extends Omit<ArmSnapshot, "metrics"> {
  readonly metrics: readonly (Omit<ArmMetric, "sample"> & { readonly sample: ReferenceVector | null })[];
}

interface User {
  readonly arm: string;
  readonly period: number;
  readonly t0: number;
  readonly isTest: boolean;
  readonly isContaminated: boolean;
  readonly isHeavy: boolean;
  readonly outcomes: readonly StoredEvent[];
  /** Outcomes in any experiment of the org before the day of the first exposure. */
  readonly before: readonly StoredEvent[];
}

/**
 * Computes the expected answer of `loadArms` from all events of the org, event by event: slow, plain and independent of
 * the SQL. Vectors contain every user.
 */
export function referenceArms(events: readonly StoredEvent[], query: AnalysisQuery): ReferenceSnapshot {
  const ofOrg = events.filter(({ orgId }) => orgId === query.orgId);
  const seen = ofOrg.filter(
    ({ experimentId, occurredAt }) => experimentId === query.experimentId && occurredAt < query.until,
  );
  const groups = [...new Set(seen.map(({ userId }) => userId))].map((userId) => {
    const own = seen.filter((event) => event.userId === userId);
    const anywhere = ofOrg.filter((event) => event.userId === userId && event.type !== "exposure");
    return { user: toUser(own, anywhere, query), own, isTest: userId.startsWith(TEST_USER_PREFIX) };
  });
  const users = groups.flatMap(({ user }) => (user === null ? [] : [user]));
  const drops = groups
    .filter(({ user, isTest }) => !isTest && user?.isContaminated !== true)
    .map(({ user, own }) => dropsOf(own, user));
  const cells = cellsOf(users);
  return {
    exposures: cells.map(toExposure),
    metrics: query.metrics.flatMap((metric) => armMetrics(cells, metric, query)),
    outcomes: users.filter(isPlain).reduce((total, user) => total + user.outcomes.length, 0),
    droppedPreExposure: drops.reduce((total, { early }) => total + early, 0),
    variantConflicts: drops.reduce((total, { conflicting }) => total + conflicting, 0),
    firstExposureAt: users.length === 0 ? null : Math.min(...users.map((user) => user.t0)),
  };
}

function isPlain({ isTest, isContaminated }: User): boolean {
  return !isTest && !isContaminated;
}

function dropsOf(own: readonly StoredEvent[], user: User | null) {
  const outcomes = own.filter((event) => event.type !== "exposure");
  const t0 = user?.t0 ?? Number.POSITIVE_INFINITY;
  const early = outcomes.filter((event) => event.occurredAt < t0).length;
  return { early, conflicting: outcomes.length - early - (user?.outcomes.length ?? 0) };
}

function toUser(
  own: readonly StoredEvent[],
  anywhere: readonly StoredEvent[],
  { periodStarts, sample }: AnalysisQuery,
): User | null {
  const exposures = own
    .filter((event) => event.type === "exposure" && event.variant)
    .sort((a, b) => a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1));
  const [first] = exposures;
  if (first === undefined) return null;
  const t0 = first.occurredAt;
  const firstDay = Math.floor(t0 / DAY_MS) * DAY_MS;
  const preMs = (sample?.preDays ?? 0) * DAY_MS;
  return {
    arm: first.variant ?? "",
    period: periodStarts.filter((start) => start <= t0).length,
    t0,
    isTest: first.userId.startsWith(TEST_USER_PREFIX),
    isContaminated: new Set(exposures.map((event) => event.variant)).size > 1,
    isHeavy: isHeavy(own),
    outcomes: own.filter(
      (event) =>
        event.type !== "exposure" &&
        event.occurredAt >= t0 &&
        (!event.variant || event.variant === first.variant),
    ),
    before: anywhere.filter(({ occurredAt }) => occurredAt >= firstDay - preMs && occurredAt < firstDay),
  };
}

function isHeavy(own: readonly StoredEvent[]): boolean {
  const calls = own.filter(({ type }) => type === "model_call").map(({ occurredAt }) => occurredAt);
  const days = (Math.max(...calls) - Math.min(...calls)) / DAY_MS;
  return calls.length > 1_000 * Math.max(1, days);
}

interface Cell {
  readonly arm: string;
  readonly period: number;
  readonly members: readonly User[];
}

function cellsOf(users: readonly User[]): readonly Cell[] {
  const keys = [...new Set(users.map(({ arm, period }) => JSON.stringify([arm, period])))];
  return keys
    .map((key) => {
      const [arm, period] = JSON.parse(key) as [string, number];
      return { arm, period, members: users.filter((user) => user.arm === arm && user.period === period) };
    })
    .sort((a, b) => (a.arm === b.arm ? a.period - b.period : a.arm < b.arm ? -1 : 1));
}

function toExposure({ arm, period, members }: Cell): ArmExposure {
  const days = members.map(({ t0 }) => dayOf(t0)).sort();
  return {
    arm,
    period,
    users: members.length,
    testUsers: members.filter((user) => user.isTest).length,
    contaminatedUsers: members.filter((user) => user.isContaminated).length,
    heavyUsers: members.filter((user) => user.isHeavy).length,
    usersByDay: new Map(days.map((day) => [day, days.filter((other) => other === day).length])),
  };
}

function armMetrics(
  cells: readonly Cell[],
  metric: MetricQuery,
  query: AnalysisQuery,
): ReferenceSnapshot["metrics"] {
  const found = cells.map(({ arm, period, members }) => {
    const users = members
      .filter(isPlain)
      .filter((user) => metric.windowDays === null || user.t0 + windowMs(metric) <= query.until)
      .map((user) => ({
        values: valuesOf(
          user.outcomes.filter((event) => event.occurredAt < user.t0 + windowMs(metric)),
          metric,
          query.prices,
        ),
        before: valuesOf(user.before, metric, query.prices),
      }));
    return { arm, period, users };
  });
  const isSampled = areSampled(found.flatMap(({ users }) => users));
  const sampled = found.map((cell) => ({ ...cell, users: inSample(cell.users, metric, isSampled) }));
  const cap = capOf(
    metric,
    sampled.flatMap(({ users }) => users),
  );
  return sampled
    .filter(({ users }) => users.length > 0)
    .map(({ arm, period, users }) => ({
      metric: metric.name,
      arm,
      period,
      ...metricSums(users, metric, cap),
      sample: query.sample === null ? null : metricVector(users, metric, cap),
    }));
}
