import { type ChildProcess, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { BUILT_CLI } from "../../build-programs.ts";
import { onCleanUp } from "./clean-up.ts";

export const ROOT = resolve(import.meta.dirname, "../../..");
export const NODE = join(ROOT, "node_modules/.bin/node");
export const CLI = BUILT_CLI;

export type Environment = Readonly<Record<string, string>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A real process and its output so far. It leads its own process group, as a shell's job does. */
export interface Program {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<Exit>;
  readonly hasExited: () => boolean;
  /** Signals this process alone. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Signals the whole group, as a terminal does on Ctrl+C. */
  readonly signalGroup: (signal: NodeJS.Signals) => void;
}

const ENGINE_SETTINGS = ["ASSAY_DATABASE_URL", "ASSAY_EVENTS_URL", "ASSAY_QUEUE_URL", "ASSAY_MASTER_KEY"];

/** The engines of each data folder's installation, when they are outside the folder. */
const enginesOf = new Map<string, Environment>();

/** Makes every program that gets the data folder from now on use these engines. */
export function useEngines(dataDir: string, env: Environment): void {
  const engines = Object.entries(env).filter(([name]) => ENGINE_SETTINGS.includes(name));
  enginesOf.set(dataDir, Object.fromEntries(engines));
}

/** Returns the engines that a data folder's programs use; null when they are in the folder. */
export function enginesAt(dataDir: string): Environment | null {
  return enginesOf.get(dataDir) ?? null;
}

/**
 * Starts a program in the repository; the clean-up ends it and its group. No setting of the caller reaches it, but it
 * uses the engines that the service of its data folder does.
 */
export function startProgram(command: string, args: readonly string[], env: Environment = {}): Program {
  const { ASSAY_DATA_DIR: dataDir = "" } = env;
  if (dataDir !== "" && env.ASSAY_DATABASE_URL !== undefined) useEngines(dataDir, env);
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), ...enginesAt(dataDir), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const exit = exitOf(child);
  const pid = child.pid ?? 0;
  onCleanUp(async () => {
    killGroup(pid, "SIGKILL");
    await exit.done;
  });
  return {
    pid,
    stdout: collect(child.stdout),
    stderr: collect(child.stderr),
    exited: exit.done,
    hasExited: exit.isOver,
    signal: (signal) => void child.kill(signal),
    signalGroup: (signal) => killGroup(pid, signal),
  };
}

/** Runs a program until it exits. */
export async function runProgram(command: string, args: readonly string[], env: Environment = {}) {
  const program = startProgram(command, args, env);
  const exit = await program.exited;
  return { ...exit, stdout: program.stdout(), stderr: program.stderr() };
}

/** Runs a command of Assay's command line until it exits. */
export const runCli = (args: readonly string[], env: Environment = {}) =>
  runProgram(NODE, [CLI, ...args], env);

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(ASSAY_|VITEST|NODE_ENV$)/.test(name)));
}

function exitOf(child: ChildProcess) {
  let isOver = false;
  const done = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => {
      isOver = true;
    });
    // "close" is emitted when the pipes are fully read, so all output is collected by then.
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return { done, isOver: () => isOver };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error; // The group is gone.
  }
}
