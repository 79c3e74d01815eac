import { Worker } from "node:worker_threads";
import {
  DomainError,
  type ExperimentReplay,
  type ExperimentResults,
  type HoldbackWindow,
  type ProblemKind,
  type RehearsalFacts,
  type RehearsalReport,
} from "@assay/domain";
import type { HoldbackFrame, RunFrame } from "@assay/pipeline";
import type { EvidenceRequest } from "../evidence/evidence-request.ts";

/** What a thread gets when it starts: where the event store is. */
export interface PipelineSetup {
  readonly events: { readonly url: string; readonly username: string; readonly password: string };
}

/** What a thread is asked to do. */
export type PipelineWork =
  | { readonly kind: "analyze" | "replay"; readonly frame: RunFrame }
  | ({ readonly kind: "analyze-holdback" } & HoldbackFrame)
  | ({ readonly kind: "write-evidence" } & EvidenceRequest)
  | { readonly kind: "rehearse"; readonly facts: RehearsalFacts };

type Done =
  | ExperimentResults
  | ExperimentReplay
  | HoldbackWindow
  | RehearsalReport
  | readonly Uint8Array<ArrayBuffer>[];

export type PipelineReply =
  | { readonly done: Done }
  /** A null `problem` is a bug. Any other problem, such as an event store that is down, is rethrown unchanged. */
  | { readonly problem: ProblemKind | null; readonly detail: string };

interface Task {
  readonly work: PipelineWork;
  readonly resolve: (done: never) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  task: Task | null;
  idleTimer?: NodeJS.Timeout;
}

/** Reads and analyzes events off the event loop, which a large run or a replay would block for seconds. */
export interface PipelineThreads {
  /** How many jobs may execute at the same time. */
  readonly count: number;
  /** Starts a thread, unless there is one, for a job that comes soon: loading its modules takes a third of a second. */
  prepare(): void;
  analyze(frame: RunFrame): Promise<ExperimentResults>;
  replay(frame: RunFrame): Promise<ExperimentReplay>;
  analyzeHoldback(frame: HoldbackFrame): Promise<HoldbackWindow>;
  /** Writes the values that a row was computed from, in parts. Throws `evidence-gone`. */
  writeEvidence(request: EvidenceRequest): Promise<readonly Uint8Array[]>;
  /** Analyzes a rehearsal: one of 10,000 inputs takes seconds. */
  analyzeRehearsal(facts: RehearsalFacts): Promise<RehearsalReport>;
  /** Stops the current jobs and refuses new ones. */
  close(): Promise<void>;
}

const IDLE_MS = 10_000;
/** Several times what 10 million events need. Beyond it, the thread ends and only its job fails. */
const LIMITS = { maxOldGenerationSizeMb: 2048 };

/** Makes at most `count` threads, on demand. An idle thread costs about 35 MB, so it is stopped after a while. */
export function createPipelineThreads(setup: PipelineSetup, count: number): PipelineThreads {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];
  let isClosed = false;

  function next(): void {
    // Runs take precedence over replays, so that a night waits for one replay at most.
    const task = waiting.find(({ work }) => work.kind === "analyze") ?? waiting[0];
    if (task === undefined) return;
    const thread = [...threads].find((one) => one.task === null) ?? (threads.size < count ? start() : null);
    if (thread === null) return;
    waiting.splice(waiting.indexOf(task), 1);
    clearTimeout(thread.idleTimer);
    thread.task = task;
    thread.worker.postMessage(task.work);
  }

  function start(): Thread {
    const worker = new Worker(new URL("./pipeline-worker.ts", import.meta.url), {
      workerData: setup,
      resourceLimits: LIMITS,
    });
    const thread: Thread = { worker, task: null };
    threads.add(thread);
    worker.on("message", (reply: PipelineReply) => {
      settle(thread, reply);
      rest(thread);
      next();
    });
    // A thread that crashes fails its own run only.
    worker.on("error", (error) => lose(thread, error as Error));
    worker.on("exit", () => lose(thread, new Error("The pipeline thread exited.")));
    return thread;
  }

  function rest(thread: Thread): void {
    thread.idleTimer = setTimeout(() => void end(thread), IDLE_MS).unref();
  }

  function lose(thread: Thread, error: Error): void {
    threads.delete(thread);
    clearTimeout(thread.idleTimer);
    thread.task?.reject(error);
    thread.task = null;
    next();
  }

  async function end(thread: Thread): Promise<void> {
    // Remove it from the list before the wait, so that a call that arrives meanwhile gets another thread.
    lose(thread, new Error("The pipeline thread was stopped."));
    await thread.worker.terminate();
  }

  function run<T extends Done>(work: PipelineWork): Promise<T> {
    return new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error("The pipeline was stopped."));
      waiting.push({ work, resolve, reject });
      next();
    });
  }

  return {
    count,
    prepare() {
      if (!isClosed && threads.size === 0) rest(start());
    },
    analyze: (frame) => run<ExperimentResults>({ kind: "analyze", frame }),
    replay: (frame) => run<ExperimentReplay>({ kind: "replay", frame }),
    analyzeHoldback: (frame) => run<HoldbackWindow>({ kind: "analyze-holdback", ...frame }),
    writeEvidence: (request) =>
      run<readonly Uint8Array<ArrayBuffer>[]>({ kind: "write-evidence", ...request }),
    analyzeRehearsal: (facts) => run<RehearsalReport>({ kind: "rehearse", facts }),
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
  if ("done" in reply) task?.resolve(reply.done as never);
  else if (reply.problem === null) task?.reject(new Error(reply.detail));
  else task?.reject(new DomainError(reply.problem, reply.detail));
}
