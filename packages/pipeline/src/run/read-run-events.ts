import {
  type AnalysisQuery,
  type EventStore,
  type EventsOfUnits,
  eventsOf,
  type FirstExposure,
  type MetricDefinition,
  type MetricQuery,
  type SampleQuery,
} from "@assay/domain";
import { metricQueries } from "../compare/metric-queries.ts";
import { leaveOutExcluded } from "../judge/leave-out-excluded.ts";
import type { RunFrame } from "../run-frame.ts";
import { costPerUserQueries } from "./cost-per-user.ts";

export type RunEvents = Pick<
  EventStore,
  "loadRun" | "loadLoggedTraces" | "loadFirstExposures" | "listExcluded"
>;

/** The parameters of a query for the events of metrics. */
export type MetricEvents = Pick<EventStore, "loadArms" | "loadFirstExposures" | "listExcluded">;

/** Number of days before the first exposure that covariates come from (statistics §6). */
const PRE_DAYS = 14;

/** Returns which events of which experiment a run reads. */
export function rowsOf({ experiment, exclusions }: RunFrame): EventsOfUnits {
  return eventsOf(experiment, exclusions.matches);
}

/** The queries of a run: its configured metrics, and the costs per user that margins need. */
export function runMetrics(metrics: readonly MetricDefinition[]): readonly MetricQuery[] {
  return [...metricQueries(metrics), ...costPerUserQueries(metrics)];
}

/** Removes judged calls from a frame when exclusions match their events. */
export async function withoutExcludedJudgements(
  frame: RunFrame,
  events: Pick<EventStore, "listExcluded">,
): Promise<RunFrame> {
  return { ...frame, judged: await leaveOutExcluded(frame.judged, rowsOf(frame), events) };
}

/** Selects the data of metrics in a run. */
export function armsQuery(
  frame: RunFrame,
  metrics: readonly MetricQuery[],
  sample: Partial<Pick<SampleQuery, "preDays" | "withUserIds">> = {},
): AnalysisQuery {
  const { until, prices, limits } = frame;
  return {
    ...{ ...rowsOf(frame), until, metrics },
    periodStarts: periodStarts(frame),
    prices: prices.prices,
    sample: { maxUsersPerArm: limits.maxSamplePerArm, preDays: PRE_DAYS, ...sample },
  };
}

/** Reads the first exposures of all users with a judged call. */
export async function loadFirstExposures(
  frame: RunFrame,
  events: Pick<EventStore, "loadFirstExposures">,
): Promise<readonly FirstExposure[]> {
  const userIds = [...new Set(frame.judged.flatMap(({ calls }) => calls.map(({ userId }) => userId)))];
  if (userIds.length === 0) return [];
  return events.loadFirstExposures({
    ...{ ...rowsOf(frame), until: frame.until, userIds },
    periodStarts: periodStarts(frame),
  });
}

/** When the allocation periods after the first start. */
export function periodStarts({ periods }: RunFrame): readonly number[] {
  return periods.slice(1).map(({ startsAt }) => startsAt);
}
