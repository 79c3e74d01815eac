import type { Values } from "./inputs.ts";
import { PEAK_S } from "./load-curve.ts";
import { ratesOf } from "./rates.ts";
import type { DayPlan, Fault } from "./simulate-day.ts";

const HOUR_S = 3_600;
/** What a client library keeps in memory (`clients/`). */
const EVENTS_PER_CLIENT = 10_000;

/** Plans a day on a deployment sized by the model; faults occur at the busiest second. */
export function dayPlan(name: string, values: Values, more: Partial<DayPlan> = {}): DayPlan {
  const { mean, peak, burst } = ratesOf(values);
  return {
    name,
    mean,
    peakToMean: values.peakToMean,
    acceptPerS: burst / values.utilisation,
    storePerS: peak * values.drainHeadroom,
    queueEvents: values.bufferHours * HOUR_S * peak,
    clientEvents: (values.eventsPerDay / values.eventsPerClientDay) * EVENTS_PER_CLIENT,
    faults: [],
    ...more,
  };
}

const atPeak = (
  part: Fault["part"],
  seconds: number,
  left: number,
): { readonly faults: readonly Fault[] } => ({
  faults: [{ part, from: PEAK_S, seconds, left }],
});

/** The days of the report: the event, and its duration where that was measured or is known. */
export function reportedDays(values: Values, workers: number): readonly DayPlan[] {
  return [
    dayPlan("a quiet day", values),
    dayPlan("twice the peak for ten minutes", values, { burst: { from: PEAK_S, seconds: 600, factor: 2 } }),
    dayPlan("one of two api processes dies, back after 30 s", values, atPeak("accept", 30, 0.5)),
    dayPlan("the stream's leader dies: 7 s without acknowledgements", values, atPeak("accept", 7, 0)),
    dayPlan("a worker dies, back after 60 s", values, atPeak("store", 60, (workers - 1) / workers)),
    dayPlan("half of the event store's capacity for an hour", values, atPeak("store", HOUR_S, 0.5)),
    dayPlan("the event store down for an hour", values, atPeak("store", HOUR_S, 0)),
    dayPlan("the event store down for four hours", values, atPeak("store", 4 * HOUR_S, 0)),
    dayPlan("the queue down for ten minutes", values, atPeak("accept", 600, 0)),
  ];
}

/** An hour's outage at the peak, with more or less spare capacity for storing. */
export function headroomDays(values: Values): readonly (readonly [headroom: number, plan: DayPlan])[] {
  return [1.1, 1.25, 1.5, 2, 3].map((drainHeadroom) => [
    drainHeadroom,
    dayPlan(`headroom ${drainHeadroom}`, { ...values, drainHeadroom }, atPeak("store", HOUR_S, 0)),
  ]);
}
