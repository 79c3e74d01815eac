import { Worker } from "node:worker_threads";
import { DomainError, type ExperimentResults, type ProblemKind } from "@assay/domain";
import type { RunFrame } from "@assay/pipeline";

/** What a thread gets when it starts: where the event store is. */
export interface PipelineSetup {
  readonly events: { readonly url: string; readonly username: string; readonly password: string };
}

export type PipelineReply =
  | { readonly results: ExperimentResults }
  /** A null `problem` is a bug; any other is rethrown as it is, such as an event store that is down. */
  | { readonly problem: ProblemKind | null; readonly detail: string };

interface Task {
  readonly frame: RunFrame;
  readonly resolve: (results: ExperimentResults) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | null;
  idleTimer?: NodeJS.Timeout;
}

/** Reads and analyzes the events of runs off the event loop, which a large run would block for seconds. */
export interface PipelineThreads {
  /** How many runs may execute at the same time. */
  readonly count: number;
  analyze(frame: RunFrame): Promise<ExperimentResults>;
  /** Stops the current runs and refuses new ones. */
  close(): Promise<void>;
}

const IDLE_MS = 10_000;

/** Makes at most `count` threads, on demand. An idle thread costs about 40 MB, so it is stopped after a while. */
export function createPipelineThreads(setup: PipelineSetup, count: number): PipelineThreads {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  let isClosed = false;

  function next(): void {
    const task = waiting[0];
    if (task === undefined) return;
    const thread = [...threads].find((one) => one.task === null) ?? (threads.size < count ? start() : null);
    if (thread === null) return;
    waiting.shift();
    clearTimeout(thread.idleTimer);
    thread.task = task;
    thread.worker.postMessage(task.frame);
  }

  function start(): Thread {
    const worker = new Worker(new URL("./pipeline-worker.ts", import.meta.url), { workerData: setup });
    const thread: Thread = { worker, task: null };
    threads.add(thread);
    worker.on("message", (reply: PipelineReply) => {
      settle(thread, reply);
      thread.idleTimer = setTimeout(() => void end(thread), IDLE_MS).unref();
      next();
    });
    // A thread that crashes fails its own run only.
    worker.on("error", (error) => lose(thread, error as Error));
    worker.on("exit", () => lose(thread, new Error("The pipeline thread exited.")));
    return thread;
  }

  function lose(thread: Thread, error: Error): void {
    threads.delete(thread);
    clearTimeout(thread.idleTimer);
    thread.task?.reject(error);
    thread.task = null;
    next();
  }

  async function end(thread: Thread): Promise<void> {
    // Deregister first, so that a new call starts a fresh thread.
    lose(thread, new Error("The pipeline thread was stopped."));
    await thread.worker.terminate();
  }

  return {
    count,
    analyze: (frame) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error("The pipeline was stopped."));
        waiting.push({ frame, resolve, reject });
        next();
      }),
    async close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error("The pipeline was stopped."));
      await Promise.all([...threads].map(end));
    },
  };
}

function settle(thread: Thread, reply: PipelineReply): void {
  const { task } = thread;
  thread.task = null;
  if ("results" in reply) task?.resolve(reply.results);
  else if (reply.problem === null) task?.reject(new Error(reply.detail));
  else task?.reject(new DomainError(reply.problem, reply.detail));
}
