// Prints the bytes per call that each workload of the module named in the arguments allocates.
import { GCProfiler } from "node:v8";
import { sized } from "./sized.ts";
import { runRound, type Workload } from "./workload.ts";

/** Compiled code allocates less than interpreted code. */
const WARM_UP_ROUNDS = sized(8, 1);

const { workloads } = (await import(process.argv[2]!)) as { workloads(): Promise<readonly Workload[]> };
const bytes: number[] = [];
for (const workload of await workloads()) {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await settledRound(workload);
  bytes.push(await settledRound(workload));
  await workload.stop?.();
}
console.log(JSON.stringify(bytes));
process.exit();

async function settledRound(workload: Workload): Promise<number> {
  workload.prepare?.();
  globalThis.gc?.();
  const profiler = new GCProfiler();
  profiler.start();
  const before = process.memoryUsage().heapUsed;
  await runRound(workload);
  const allocated = process.memoryUsage().heapUsed - before;
  const collections = profiler.stop().statistics.length;
  await workload.settle?.();
  if (collections > 0) throw new Error(`${workload.name}: the heap was collected during the measurement.`);
  return allocated / workload.calls;
}
