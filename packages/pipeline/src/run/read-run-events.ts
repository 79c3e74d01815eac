import type { ArmSnapshot, EventStore, ExperimentEvents, FirstExposure, MetricQuery } from "@assay/domain";
import { leaveOutExcluded } from "../judge/leave-out-excluded.ts";
import type { RunFrame } from "../run-frame.ts";

export type RunEvents = Pick<
  EventStore,
  "loadArms" | "loadFacts" | "loadLoggedTraces" | "loadSampling" | "loadFirstExposures" | "listExcluded"
>;

/** The parameters of a query for the events of metrics. */
export type MetricEvents = Pick<RunEvents, "loadArms" | "loadFirstExposures" | "listExcluded">;

/** Number of days before the first exposure that covariates come from (statistics §6). */
const PRE_DAYS = 14;

/** Returns which events of which experiment a run reads. */
export function rowsOf({ experiment, exclusions }: RunFrame): ExperimentEvents {
  return { orgId: experiment.orgId, experimentId: experiment.id, exclusions: exclusions.matches };
}

/** Reads the data for a run's metrics, and removes excluded judged calls from the frame. */
export async function readMetrics(
  given: RunFrame,
  metrics: readonly MetricQuery[],
  events: MetricEvents,
): Promise<{
  readonly frame: RunFrame;
  readonly snapshot: ArmSnapshot;
  readonly firstExposures: readonly FirstExposure[];
}> {
  const frame = await withoutExcludedJudgements(given, events);
  const maxUsersPerArm = frame.limits.maxSamplePerArm;
  const snapshot = await loadSnapshot(frame, metrics, { events, maxUsersPerArm });
  return { frame, snapshot, firstExposures: await loadFirstExposures(frame, events) };
}

/** Removes judged calls from a frame when exclusions match their events. */
export async function withoutExcludedJudgements(
  frame: RunFrame,
  events: Pick<RunEvents, "listExcluded">,
): Promise<RunFrame> {
  return { ...frame, judged: await leaveOutExcluded(frame.judged, rowsOf(frame), events) };
}

/** Reads the arms of a run. */
export function loadSnapshot(
  frame: RunFrame,
  metrics: readonly MetricQuery[],
  {
    events,
    ...sample
  }: {
    readonly events: Pick<RunEvents, "loadArms">;
    readonly maxUsersPerArm: number;
    readonly withUserIds?: true;
  },
): Promise<ArmSnapshot> {
  const { until, prices } = frame;
  return events.loadArms({
    ...{ ...rowsOf(frame), until, metrics },
    periodStarts: periodStarts(frame),
    prices: prices.prices,
    sample: { ...sample, preDays: PRE_DAYS },
  });
}

/** Reads the first exposures of all users with a judged call. */
export async function loadFirstExposures(
  frame: RunFrame,
  events: Pick<RunEvents, "loadFirstExposures">,
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
