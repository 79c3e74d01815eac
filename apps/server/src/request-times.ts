import type { Histogram, Registry } from "prom-client";

const NAME = "assay_http_request_seconds";
const HELP = "Request time by method, route pattern and status class; route none: no such address.";
/** Upper bounds in seconds. */
const BOUNDS: readonly number[] = [0.005, 0.025, 0.1, 0.5, 2.5, 10];

interface Labels {
  readonly method: string;
  readonly route: string;
  /** The class of the status: 2xx. */
  readonly status: string;
}

interface Series {
  readonly labels: Labels;
  /** Requests by bucket; the last is of those above all bounds. */
  readonly counts: number[];
  sum: number;
}

/** Records the time of one request. */
export type TimeRequest = (status: number, seconds: number) => void;

/** The times of requests, as a Prometheus histogram. */
export interface RequestTimes {
  /** Returns the function that times a route's requests: the same one for the same route. */
  of(route: Omit<Labels, "status">): TimeRequest;
}

/**
 * Makes the histogram. The library's own finds the series of each observation by its labels' text, which costs as much
 * as everything else that is observed of a request. Here each route has its series at hand.
 */
export function createRequestTimes(registry: Registry): RequestTimes {
  const all: Series[] = [];
  const metric = {
    ...{ name: NAME, help: HELP, type: "histogram", aggregator: "sum" },
    get: async () => ({ name: NAME, help: HELP, type: "histogram", values: all.flatMap(valuesOf) }),
  };
  // All that the registry asks of a metric.
  registry.registerMetric(metric as unknown as Histogram);
  const start = (labels: Labels): Series => {
    const series = { labels, counts: new Array<number>(BOUNDS.length + 1).fill(0), sum: 0 };
    all.push(series);
    return series;
  };
  const timers = new Map<string, TimeRequest>();
  const timerOf = (route: Omit<Labels, "status">): TimeRequest => {
    const byClass: Series[] = [];
    return (status, seconds) => {
      const statusClass = Math.floor(status / 100);
      byClass[statusClass] ??= start({ ...route, status: `${statusClass}xx` });
      add(byClass[statusClass], seconds);
    };
  };
  return {
    of(route) {
      const key = `${route.method} ${route.route}`;
      const timer = timers.get(key) ?? timerOf(route);
      timers.set(key, timer);
      return timer;
    },
  };
}

function add(series: Series, seconds: number): void {
  let bucket = 0;
  while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket += 1;
  series.counts[bucket]! += 1;
  series.sum += seconds;
}

/** What Prometheus reads: each bucket counts those below it too. */
function valuesOf({ labels, counts, sum }: Series) {
  let count = 0;
  const buckets = counts.map((own, index) => {
    count += own;
    return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[index] ?? "+Inf", ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
