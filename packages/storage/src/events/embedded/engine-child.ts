import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StartupError } from "@assay/domain";
import type { ChildCommand, ReadyMessage, StartMessage } from "./messages.ts";

/** Another live process uses the data folder. */
export class DataFolderLockedError extends StartupError {
  override readonly name = "DataFolderLockedError";
  /** The process that uses the folder; null when unknown. */
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

/** A running engine process, ready to answer. */
export interface EngineChild {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<ChildExit>;
  /** Ends it at once, with SIGKILL, because chDB's handlers of other fatal signals hang. */
  kill(): void;
  /** Lets it finish its queries and close the folder; kills it if that takes too long. */
  stop(): Promise<void>;
}

/** Opening a folder replays nothing, so even a large one opens within seconds. */
const START_DEADLINE_MS = 60_000;
/** Longer than the child needs to drain or kill its queries. */
const STOP_DEADLINE_MS = 10_000;

/** Added to the niceness of the child, so that requests come first when cores are few. Analysis threads use 15. */
const NICE = 10;
const NICEST = 19;

/** The child's JavaScript only passes buffers on; a small young generation frees them early. */
const V8_FLAGS = ["--max-semi-space-size=1", "--expose-gc"];

/**
 * Starts a child on the data folder and resolves once it listens.
 * Throws `DataFolderLockedError` if another process uses the folder, and a `StartupError` with the reason for other failures.
 */
export async function startEngineChild(command: StartMessage): Promise<EngineChild> {
  const program = fileURLToPath(new URL("./child.ts", import.meta.url));
  const child = spawn(process.execPath, [...V8_FLAGS, program], {
    cwd: command.dataDir, // the engine's default database reads files in the working directory
    env: environment(command.dataDir),
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  child.on("error", () => {}); // after any failure, the process is gone or misses its deadline
  yieldToRequests(child);
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

/** Lowers the child's priority before it has a second thread: on Linux, later threads inherit the first one's priority. */
function yieldToRequests({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(NICEST, getPriority() + NICE));
  } catch {
    // The child has already ended, or this system does not allow it. The engine also works without.
  }
}

/** Passes on nothing from the parent's environment, which contains secrets. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  return {
    TZ: "UTC",
    UV_THREADPOOL_SIZE: "16", // each query and insert blocks one thread
    // Otherwise the C library keeps freed buffers. With the V8 flags, this saves 160 MB after load.
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: "131072",
    MALLOC_TRIM_THRESHOLD_: "131072",
    NODE_COMPILE_CACHE: join(dataDir, "compile-cache"), // saves 24 MB and 100 ms of type stripping
  };
}

async function ready(child: ChildProcess): Promise<number> {
  const [message] = await once(child, "message");
  return (message as ReadyMessage).port;
}

/** Collects the child's output until it is ready. Later output may contain queries and must not be logged. */
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

/** Reads the process id that the engine writes into the file it locks. */
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

/** Does nothing if the child is gone: the caller learns this from its exit. */
function send(child: ChildProcess, command: ChildCommand): void {
  if (child.connected) child.send(command, () => {});
}
