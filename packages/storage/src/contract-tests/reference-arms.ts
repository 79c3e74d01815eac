import {
  type AnalysisQuery,
  type ArmMetric,
  type ArmSnapshot,
  DAY_MS,
  type MetricQuery,
  type StoredEvent,
  TEST_USER_PREFIX,
} from "@assay/domain";
import { fineBin } from "./reference-fine-bin.ts";

interface User {
  readonly arm: string;
  readonly period: number;
  readonly t0: number;
  readonly isTest: boolean;
  readonly isContaminated: boolean;
  readonly outcomes: readonly StoredEvent[];
}

/** Computes what `loadArms` must answer, event by event: slow, plain and written apart from the SQL. */
export function referenceArms(events: readonly StoredEvent[], query: AnalysisQuery): ArmSnapshot {
  const seen = events.filter(
    ({ orgId, experimentId, occurredAt }) =>
      orgId === query.orgId && experimentId === query.experimentId && occurredAt < query.until,
  );
  const groups = [...new Set(seen.map(({ userId }) => userId))].map((userId) => {
    const own = seen.filter((event) => event.userId === userId);
    return { user: toUser(own, query), own, isTest: userId.startsWith(TEST_USER_PREFIX) };
  });
  const users = groups.flatMap(({ user }) => (user === null ? [] : [user]));
  const drops = groups
    .filter(({ user, isTest }) => !isTest && user?.isContaminated !== true)
    .map(({ user, own }) => dropsOf(own, user));
  const cells = cellsOf(users);
  return {
    exposures: cells.map(({ arm, period, members }) => ({
      arm,
      period,
      users: members.length,
      testUsers: members.filter((user) => user.isTest).length,
      contaminatedUsers: members.filter((user) => user.isContaminated).length,
    })),
    metrics: query.metrics.flatMap((metric) =>
      cells.flatMap(({ arm, period, members }) => {
        const sums = metricOf(members, metric, query.until);
        return sums === null ? [] : [{ metric: metric.name, arm, period, ...sums }];
      }),
    ),
    droppedPreExposure: drops.reduce((total, { early }) => total + early, 0),
    variantConflicts: drops.reduce((total, { conflicting }) => total + conflicting, 0),
    firstExposureAt: users.length === 0 ? null : Math.min(...users.map((user) => user.t0)),
  };
}

function dropsOf(own: readonly StoredEvent[], user: User | null) {
  const outcomes = own.filter((event) => event.type !== "exposure");
  const t0 = user?.t0 ?? Number.POSITIVE_INFINITY;
  const early = outcomes.filter((event) => event.occurredAt < t0).length;
  return { early, conflicting: outcomes.length - early - (user?.outcomes.length ?? 0) };
}

function toUser(own: readonly StoredEvent[], { periodStarts }: AnalysisQuery): User | null {
  const exposures = own
    .filter((event) => event.type === "exposure" && event.variant)
    .sort((a, b) => a.occurredAt - b.occurredAt || (a.eventId < b.eventId ? -1 : 1));
  const [first] = exposures;
  if (first === undefined) return null;
  const t0 = first.occurredAt;
  return {
    arm: first.variant ?? "",
    period: periodStarts.filter((start) => start <= t0).length,
    t0,
    isTest: first.userId.startsWith(TEST_USER_PREFIX),
    isContaminated: new Set(exposures.map((event) => event.variant)).size > 1,
    outcomes: own.filter(
      (event) =>
        event.type !== "exposure" &&
        event.occurredAt >= t0 &&
        (!event.variant || event.variant === first.variant),
    ),
  };
}

function cellsOf(users: readonly User[]) {
  const keys = [...new Set(users.map(({ arm, period }) => JSON.stringify([arm, period])))];
  return keys
    .map((key) => {
      const [arm, period] = JSON.parse(key) as [string, number];
      return { arm, period, members: users.filter((user) => user.arm === arm && user.period === period) };
    })
    .sort((a, b) => (a.arm === b.arm ? a.period - b.period : a.arm < b.arm ? -1 : 1));
}

function metricOf(members: readonly User[], metric: MetricQuery, until: number) {
  const windowMs = metric.windowDays === null ? Number.POSITIVE_INFINITY : metric.windowDays * DAY_MS;
  const perUser = members
    .filter((user) => !user.isTest && !user.isContaminated)
    .filter((user) => metric.windowDays === null || user.t0 + windowMs <= until)
    .map((user) =>
      user.outcomes
        .filter((event) => event.occurredAt < user.t0 + windowMs)
        .map((event) => metricValue(event, metric))
        .filter((value) => value !== null),
    )
    .filter((values) => metric.kind !== "ratio" || values.length > 0);
  if (perUser.length === 0) return null;
  const ys = perUser.map((values) => {
    const sum = values.reduce((total, value) => total + value, 0);
    if (metric.kind === "binary") return values.some((value) => value !== 0) ? 1 : 0;
    return metric.kind === "mean" && metric.cap !== null ? Math.min(sum, metric.cap) : sum;
  });
  const ds = perUser.map((values) => (metric.kind === "ratio" ? values.length : 1));
  const binned = (metric.kind === "ratio" ? perUser.flat() : ys).map(fineBin);
  const events = metric.kind === "binary" ? perUser.length : perUser.flat().length;
  return { users: perUser.length, events, ...moments(ys, ds), fineCounts: countsOf(binned) };
}

function metricValue(event: StoredEvent, { source }: MetricQuery): number | null {
  if (source.event === "business_event") {
    const isIts = event.type === "business_event" && event.businessMetric === source.businessMetric;
    return isIts ? event.value : null;
  }
  if (event.type !== "model_call") return null;
  return {
    latency_ms: event.latencyMs,
    time_to_first_token_ms: event.timeToFirstTokenMs,
    input_tokens: event.inputTokens,
    output_tokens: event.outputTokens,
    cost_usd: event.costUsd,
    error: event.error === null ? null : Number(event.error),
  }[source.field];
}

function moments(
  ys: readonly number[],
  ds: readonly number[],
): Pick<ArmMetric, "meanY" | "m2Y" | "meanD" | "m2D" | "cYD"> {
  const mean = (values: readonly number[]) => values.reduce((total, v) => total + v, 0) / values.length;
  const [meanY, meanD] = [mean(ys), mean(ds)];
  const cross = (f: (y: number, d: number) => number) =>
    ys.reduce((total, y, i) => total + f(y - meanY, (ds[i] ?? 0) - meanD), 0);
  return {
    meanY,
    m2Y: cross((y) => y * y),
    meanD,
    m2D: cross((_, d) => d * d),
    cYD: cross((y, d) => y * d),
  };
}

function countsOf(bins: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const bin of bins) counts.set(bin, (counts.get(bin) ?? 0) + 1);
  return counts;
}
