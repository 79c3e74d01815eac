import type { Client } from "@assay/client";
import { benchExperiment, flushAll, startClient } from "./contestants/assay.ts";
import { sized } from "./harness/sized.ts";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(9, 1);
const WARM_UP_ROUNDS = 1;
/** Fewer than the client's queue holds. */
const EVENTS = 8_000;
/** Repeats per round: the kernel does not measure shorter times well. */
const REPEATS = sized(25, 1);

/** Prints how many events the client tracks, and how many it delivers, per second of CPU time. */
export async function benchDelivery(): Promise<void> {
  const client = await startClient([benchExperiment("answer-style", 0)]);
  const tracked: number[] = [];
  const delivered: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const { trackSeconds, flushSeconds } = await timeRound(client);
    if (round < 0) continue;
    tracked.push((REPEATS * EVENTS) / trackSeconds);
    delivered.push((REPEATS * EVENTS) / flushSeconds);
  }
  await client.close();
  printTable(
    "client: events",
    "Events per second of the whole process's CPU time, median (min–max) of the rounds. `flush` passes batches " +
      "of 100 to a `fetch` that answers from memory.",
    [
      ["step", "events/s"],
      ["`track`: into the queue", formatSpread(spreadOf(tracked))],
      ["`flush`: out of the queue, acknowledged", formatSpread(spreadOf(delivered))],
    ],
  );
}

async function timeRound(client: Client): Promise<{ trackSeconds: number; flushSeconds: number }> {
  let [trackSeconds, flushSeconds] = [0, 0];
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const start = process.cpuUsage();
    for (let i = 0; i < EVENTS; i++) client.track("business_event", eventOf(i));
    const middle = process.cpuUsage();
    await flushAll(client);
    trackSeconds += secondsBetween(start, middle);
    flushSeconds += secondsBetween(middle, process.cpuUsage());
  }
  return { trackSeconds, flushSeconds };
}

function eventOf(serial: number) {
  return {
    experiment_id: "answer-style",
    user_id: `user-${serial}`,
    metric: "purchase",
    value: 1,
    metadata: { plan: "pro" },
  };
}

function secondsBetween(from: NodeJS.CpuUsage, to: NodeJS.CpuUsage): number {
  return (to.user + to.system - from.user - from.system) / 1e6;
}
