import { benchDelivery } from "./delivery.ts";
import { measureAllocation } from "./harness/allocation.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { type CallTimes, timeBatches } from "./harness/time-batches.ts";
import { ratioOf } from "./harness/time-calls.ts";
import type { Workload } from "./harness/workload.ts";
import { workloads as clientCalls } from "./workloads/client-calls.ts";
import { workloads as decisions } from "./workloads/decisions.ts";

/**
 * Compares the client with other vendors' clients in the same process, and its calls with the operations on
 * which they are built.
 */
export async function benchClient(): Promise<void> {
  // Server libraries read it; outside production they do more work and checks.
  process.env.NODE_ENV = "production";
  await compareDecisions();
  await compareOwnCalls();
  await benchDelivery();
}

async function compareDecisions(): Promise<void> {
  const { workloads, times, bytes } = await measure("decisions", await decisions());
  const half = workloads.length / 2;
  const rows = workloads.map(({ name }, index) => {
    const ours = times[index < half ? 0 : half]!;
    const kind = index < half ? "known" : "new";
    return [kind, name, ...figures(times[index]!, ours), formatFigure(bytes[index]!)];
  });
  printTable(
    "client: a decision",
    "One running 50/50 experiment that includes everybody. Time per call: median (min–max) of the rounds, timed in batches of 50. " +
      "**Known**: our client checks that the exposure is already recorded; the others record none. **New**: the exposure is made into " +
      "an event and serialized.",
    [["user", "library", "÷ ours, p50", "p50, ns", "p90, ns", "bytes"], ...rows],
  );
}

async function compareOwnCalls(): Promise<void> {
  const { workloads, times, bytes } = await measure("client-calls", await clientCalls());
  const rows = workloads.map(({ name }, index) => [
    name,
    ...figures(times[index]!, times[0]!),
    formatFigure(bytes[index]!),
  ]);
  printTable("client: its calls", "As above. Ratios are to the first row.", [
    ["call", "÷ `murmur3`, p50", "p50, ns", "p90, ns", "bytes"],
    ...rows,
  ]);
}

function figures({ p50, p90 }: CallTimes, reference: CallTimes): readonly string[] {
  return [
    formatSpread(ratioOf(p50, reference.p50)),
    formatSpread(spreadOf(p50)),
    formatSpread(spreadOf(p90)),
  ];
}

async function measure(module: string, workloads: readonly Workload[]) {
  const times = await timeBatches(workloads);
  for (const workload of workloads) await workload.stop?.();
  const bytes = await measureAllocation(new URL(`./workloads/${module}.ts`, import.meta.url).href);
  return { workloads, times, bytes };
}
