import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, type Registry } from "prom-client";

const NANOSECONDS = 1e9;

/** By the metric's name: the start of its description, and how to read it. */
const STATISTICS: Readonly<Record<string, readonly [string, (turns: ELDHistogram) => number]>> = {
  min: ["Shortest time", (turns) => turns.min],
  max: ["Longest time", (turns) => turns.max],
  mean: ["Mean time", (turns) => turns.mean],
  stddev: ["Standard deviation of the time", (turns) => turns.stddev],
  p50: ["50th percentile of the time", (turns) => turns.percentile(50)],
  p90: ["90th percentile of the time", (turns) => turns.percentile(90)],
  p99: ["99th percentile of the time", (turns) => turns.percentile(99)],
};

/**
 * Replaces prom-client's statistics of the event loop's lag, under the same names. Prom-client measures how late a timer fires, and that
 * timer wakes an idle process 100 times a second. This measures the loop's turns instead: an idle loop does not turn.
 */
export function replaceLoopLag(registry: Registry): void {
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  turns.enable();
  const last = Object.keys(STATISTICS).at(-1);
  for (const [statistic, [what, read]] of Object.entries(STATISTICS)) {
    const name = `nodejs_eventloop_lag_${statistic}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `${what} that a turn of the event loop took, since the last scrape.`,
      registers: [registry],
      collect() {
        this.set(turns.count === 0 ? 0 : read(turns) / NANOSECONDS);
        // The registry collects in the order of registration.
        if (statistic === last) turns.reset();
      },
    });
  }
}
