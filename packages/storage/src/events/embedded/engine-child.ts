import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartupError } from "@assay/domain";
import type { ChildCommand, ReadyMessage, StartMessage } from "./messages.ts";

/** Another live process has the data folder. */
export class DataFolderLockedError extends StartupError {
  override readonly name = "DataFolderLockedError";
  /** The process that holds the folder, or null when the folder does not say. */
  readonly holderPid: number | null;

  constructor(dataDir: string, holderPid: number | null) {
    const holder = holderPid === null ? "another process" : `another process (pid ${holderPid})`;
    super(
      `The data folder ${dataDir} is in use by ${holder}: stop it, or start with a different data folder.`,
    );
    this.holderPid = holderPid;
  }
}

/** How a child ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One generation of the engine's process, ready to answer. */
export interface EngineChild {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the process is gone, however it went. */
  readonly exited: Promise<ChildExit>;
  /** Ends it at once. SIGKILL only: chDB's handlers of the other fatal signals hang. */
  kill(): void;
  /** Lets it finish its queries and close the folder; kills it when that takes too long. */
  stop(): Promise<void>;
}

/** Opening replays nothing, so even a large folder opens within seconds. */
const START_DEADLINE_MS = 60_000;
/** Longer than the child lets queries run on and kills them. */
const STOP_DEADLINE_MS = 10_000;

/** The child's JavaScript only passes buffers on; a small young generation frees them soon. */
const V8_FLAGS = ["--max-semi-space-size=1", "--expose-gc"];

/**
 * Starts a child on the data folder and resolves once it listens.
 * Throws `DataFolderLockedError` when another process has the folder, or what the child said before it died.
 */
export async function startEngineChild(command: StartMessage): Promise<EngineChild> {
  const program = fileURLToPath(new URL("./child.ts", import.meta.url));
  const child = spawn(process.execPath, [...V8_FLAGS, program], {
    cwd: command.dataDir, // the engine's default database reads files of the working directory
    env: environment(command.dataDir),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  child.on("error", () => {}); // whatever failed, the process is then gone or will miss its deadline
  const exited = new Promise<ChildExit>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  const complaint = collectUntilReady(child);
  send(child, command);
  const deadline = setTimeout(() => child.kill("SIGKILL"), START_DEADLINE_MS);
  const failed = exited.then(async () => {
    throw await startError(command.dataDir, complaint());
  });
  const port = await Promise.race([ready(child), failed]).finally(() => clearTimeout(deadline));
  const kill = () => void child.kill("SIGKILL");
  return { pid: child.pid!, port, exited, kill, stop: () => stop(child, exited) };
}

/** Nothing of the parent's environment, which holds secrets. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  return {
    TZ: "UTC",
    UV_THREADPOOL_SIZE: "16", // each query and insert blocks one thread
    // The C library keeps freed buffers otherwise: with the V8 flags, 160 MB less after a load.
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: "131072",
    MALLOC_TRIM_THRESHOLD_: "131072",
    NODE_COMPILE_CACHE: join(dataDir, "compile-cache"), // saves 24 MB and 100 ms: types are stripped already
  };
}

async function ready(child: ChildProcess): Promise<number> {
  const [message] = await once(child, "message");
  return (message as ReadyMessage).port;
}

/** Keeps what the child writes before it is ready; later that may be the text of queries, for no log. */
function collectUntilReady(child: ChildProcess): () => string {
  let text = "";
  const collect = (chunk: Buffer) => {
    text += chunk.toString("utf8");
  };
  child.stderr!.on("data", collect);
  child.once("message", () => {
    child.stderr!.off("data", collect).resume();
  });
  return () => text;
}

async function startError(dataDir: string, complaint: string): Promise<Error> {
  if (complaint.includes("Cannot lock file"))
    return new DataFolderLockedError(dataDir, await holder(dataDir));
  const reason = /^.*(?:Exception|Error): .*$/m.exec(complaint)?.[0] ?? "it gave no reason";
  return new StartupError(`The embedded ClickHouse cannot open ${dataDir}: ${reason}`);
}

/** The engine writes its process id into the file that it locks. */
async function holder(dataDir: string): Promise<number | null> {
  const status = await readFile(join(dataDir, "status"), "utf8").catch(() => "");
  const pid = /^PID: (\d+)$/m.exec(status)?.[1];
  return pid === undefined ? null : Number(pid);
}

async function stop(child: ChildProcess, exited: Promise<ChildExit>): Promise<void> {
  send(child, { kind: "stop" });
  const deadline = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
  await exited;
  clearTimeout(deadline);
}

/** A child that is gone cannot take a command; its exit tells the caller all there is to know. */
function send(child: ChildProcess, command: ChildCommand): void {
  if (child.connected) child.send(command, () => {});
}
