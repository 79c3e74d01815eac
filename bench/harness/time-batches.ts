import { sized } from "./sized.ts";
import { runRound, type Workload } from "./workload.ts";

const ROUNDS = sized(21, 1);
/** Long enough for the engine to compile code that is called often. */
const WARM_UP_ROUNDS = sized(5, 0);

/** Nanoseconds per call, one entry per round. */
export interface CallTimes {
  readonly p50: readonly number[];
  readonly p90: readonly number[];
}

/**
 * Times each workload in turn, in rounds, by wall-clock time. A round's quantiles are over its batches, so
 * they understate the spread of single calls. Other programs on the machine hardly affect p50, but they
 * affect p90.
 */
export async function timeBatches(workloads: readonly Workload[]): Promise<readonly CallTimes[]> {
  const times = workloads.map(() => ({ p50: [] as number[], p90: [] as number[] }));
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [index, workload] of workloads.entries()) {
      const batches: number[] = [];
      workload.prepare?.();
      await runRound(workload, (ns) => batches.push(ns));
      await workload.settle?.();
      if (round < 0) continue;
      batches.sort((a, b) => a - b);
      times[index]!.p50.push(quantile(batches, 0.5));
      times[index]!.p90.push(quantile(batches, 0.9));
    }
  }
  return times;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)]!;
}
