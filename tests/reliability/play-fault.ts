import { setTimeout as sleep } from "node:timers/promises";
import { type Account, account, requireRunning, untilDrained } from "./account.ts";
import { type Fault, untilReady } from "./faults.ts";
import type { Stage } from "./stage.ts";
import type { Seen } from "./steady-sender.ts";

/** What was seen of one fault. */
export interface FaultReport extends Seen {
  readonly fault: string;
  /** From the end of the fault, once all was acknowledged, until all was stored. */
  readonly drainedMs: number;
  readonly remarks: readonly string[];
  readonly account: Account;
}

/** Lets a fault strike under load and waits until everything works again; the load goes on. Returns what else was seen. */
export async function strikeUnderLoad({ strike }: Fault, stage: Stage): Promise<readonly string[]> {
  const { deployment, times } = stage;
  const remarks: string[] = [];
  await sleep(times.loadMs);
  await strike(stage, (text) => remarks.push(text));
  requireRunning(deployment.processes);
  await Promise.all(deployment.processes.map(untilReady));
  await sleep(times.loadMs);
  return remarks;
}

/** Plays one fault alone: load, harm, load, then a pause in which everything acknowledged must come to be stored once. */
export async function playFault(fault: Fault, stage: Stage): Promise<FaultReport> {
  const { deployment, sender } = stage;
  sender.takeSeen();
  sender.start();
  const remarks = await strikeUnderLoad(fault, stage);
  await sender.pause();
  const drainedMs = await untilDrained(deployment);
  const seen = sender.takeSeen();
  return { fault: fault.name, ...seen, remarks, drainedMs, account: await account(deployment, stage) };
}
