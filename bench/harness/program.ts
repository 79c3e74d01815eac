import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onCleanup } from "./cleanup.ts";
import { isAlive, processTree } from "./process-stat.ts";

const POLL_MS = 20;

/** The repository's root. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A measured program. */
export interface Program {
  readonly pid: number;
  readonly child: ChildProcess;
  /** Kills the program and its descendants at once; its data is discarded. */
  stop(): Promise<void>;
}

/**
 * Starts a file with this Node. The cleanup stops it. Its standard output can be read; its errors are not
 * shown.
 */
export function startProgram(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...inherited(), ...env },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${args[0]} could not be started.`);
  const stop = () => stopTree(pid);
  onCleanup(stop);
  return { pid, child, stop };
}

/** The service refuses unknown settings and must not inherit the caller's. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ASSAY_")));
}

async function stopTree(root: number): Promise<void> {
  if (!isAlive(root)) return;
  const pids = processTree(root);
  for (const pid of pids) process.kill(pid, "SIGKILL");
  while (pids.some(isAlive)) await sleep(POLL_MS);
}
