import { type Values, valuesOf } from "./inputs.ts";
import { nightOf, ratesOf } from "./rates.ts";
import { sizeDeployment } from "./size-deployment.ts";

const HOUR_S = 3_600;
/** `REQUEST_TIMEOUT_MS` of the event store. */
const QUERY_LIMIT_S = 300;
/** The share of the time that counting usage may take (`usage-meter.ts`). */
const METER_SHARE = 0.05;

/** Days that a count reads: a month (`count-ids.ts`). */
const USAGE_DAYS = 31;
/** Days of the platform owner's chart. */
const CHART_DAYS = 30;

/** A limit in today's code that a larger installation reaches, however many machines it has. */
export interface Limit {
  readonly name: string;
  /** The share of the limit that a load uses. Above 1, the limit is exceeded. */
  readonly load: (values: Values, shards: number) => number;
  /** What then happens. */
  readonly symptom: string;
  readonly remedy: string;
}

/** All limits that the model knows. */
export const LIMITS: readonly Limit[] = [
  {
    name: "the largest part of the largest org's log, read in 300 s on one thread per shard",
    load: (values, shards) => nightOf(values).largestQueryS / shards / QUERY_LIMIT_S,
    symptom: "that org's nights fail with a time-out; other orgs' nights go on",
    remedy: "read a large part experiment by experiment",
  },
  {
    name: "counting usage over a month's ids",
    load: (values, shards) =>
      (values.usageIdNs * Math.min(USAGE_DAYS, values.idDays) * values.eventsPerDay) /
      shards /
      1e9 /
      METER_SHARE /
      HOUR_S,
    symptom: "counts, and so the plans' allowances, are more than an hour old",
    remedy:
      "keep a count for each part of the table, which never changes, and compare only the ids of new parts",
  },
  {
    name: "events per day of all orgs, counted in 300 s from 30 days' ids",
    load: (values, shards) =>
      (values.dayIdNs * Math.min(CHART_DAYS, values.idDays) * values.eventsPerDay) /
      shards /
      1e9 /
      QUERY_LIMIT_S,
    symptom: "the platform owner's page has no chart",
    remedy: "a table of daily counts that the insert fills",
  },
  {
    name: "one stream",
    load: (values) => {
      const { burstMessages, streamMessages } = ratesOf(values);
      return burstMessages / (streamMessages * values.utilisation);
    },
    symptom: "acknowledgements slow down in bursts, then 503",
    remedy: "use several streams, chosen by a hash of the org; each worker reads all or some of them",
  },
  {
    name: "inserts per second into one table",
    load: (values) => {
      const { peak, appendRows } = ratesOf(values);
      return (peak * values.drainHeadroom) / appendRows / values.partsPerS;
    },
    symptom:
      "merges fall behind; ClickHouse slows inserts, then refuses them (TOO_MANY_PARTS); events wait in the queue",
    remedy:
      "make claims larger than the constant 8 MiB: with 32 MiB there are a quarter of the parts, for 300 MiB more memory per worker",
  },
  {
    name: "the nightly sweep of a day's raw events",
    load: (values, shards) =>
      values.eventsPerDay / shards / values.sweepRowsPerS / (values.nightHours * HOUR_S),
    symptom: "rewriting a day that only some plans keep takes longer than the night",
    remedy: "partition raw events by day and retention, so that whole partitions are dropped",
  },
];

const SMALLEST = 1e5;
const LARGEST = 1e13;
const STEPS = 60;

/**
 * Finds the number of events per day at which a limit is reached, with a fixed number of shards or with as many as the
 * model gives that load; null when it is not below ten trillion. With the model's shards the load grows in steps, so
 * the first of several places is good enough.
 */
export function breaksAt(limit: Limit, shards: number | null = null): number | null {
  const isBroken = (eventsPerDay: number) => {
    const values = valuesOf({ eventsPerDay });
    return limit.load(values, shards ?? sizeDeployment(values).shards) > 1;
  };
  if (!isBroken(LARGEST)) return null;
  let [low, high] = [SMALLEST, LARGEST];
  for (let step = 0; step < STEPS; step++) {
    const middle = Math.sqrt(low * high);
    if (isBroken(middle)) high = middle;
    else low = middle;
  }
  return high;
}
