import { setTimeout as sleep } from "node:timers/promises";
import { type Account, account, requireRunning, untilDrained } from "./account.ts";
import { type Fault, untilReady } from "./faults.ts";
import type { Stage } from "./stage.ts";
import type { Seen } from "./steady-sender.ts";

/** The observations of one fault. */
export interface FaultReport extends Seen {
  readonly fault: string;
  /** From the end of the fault, when everything is acknowledged, until everything is stored. */
  readonly drainedMs: number;
  readonly remarks: readonly string[];
  readonly account: Account;
}

/**
 * Causes a fault under load and waits until everything works again; the load continues. Returns other
 * observations.
 */
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

/**
 * Plays one fault alone: load, fault, load, then a pause in which every acknowledged event must be stored
 * exactly once.
 */
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
