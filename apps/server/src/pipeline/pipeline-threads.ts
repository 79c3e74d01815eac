import { Worker } from "node:worker_threads";
import { DomainError, type ExperimentResults, type ProblemKind } from "@assay/domain";
import type { RunFrame } from "@assay/pipeline";

/** What a thread is told when it starts: where the event store is. */
export interface PipelineSetup {
  readonly events: { readonly url: string; readonly username: string; readonly password: string };
}

export type PipelineReply =
  | { readonly results: ExperimentResults }
  /** A refusal to be passed on as it is, such as an event store that is down; null: a bug. */
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

/** Reads and analyses the events of runs beside the event loop, which a large run would hold for seconds. */
export interface PipelineThreads {
  /** How many runs go on at the same time. */
  readonly count: number;
  analyze(frame: RunFrame): Promise<ExperimentResults>;
  /** Ends the runs under way; none begins any more. */
  close(): Promise<void>;
}

const IDLE_MS = 10_000;

/** Makes threads on demand, `count` at most, and ends one that has been idle for a while: it costs some 40 MB. */
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
    // A thread that breaks takes its own run with it, no other.
    worker.on("error", (error) => lose(thread, error as Error));
    worker.on("exit", () => lose(thread, new Error("The analysis thread ended.")));
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
    // Forgotten before it ends: a call that comes meanwhile starts another thread instead of waiting for this one.
    lose(thread, new Error("The analysis thread was ended."));
    await thread.worker.terminate();
  }

  return {
    count,
    analyze: (frame) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error("The analysis was ended."));
        waiting.push({ frame, resolve, reject });
        next();
      }),
    async close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error("The analysis was ended."));
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
