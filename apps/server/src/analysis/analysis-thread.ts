import { Worker } from "node:worker_threads";
import type { ArmSnapshot, ExperimentResults } from "@assay/domain";
import type { RunFrame } from "@assay/pipeline";

export interface AnalysisRequest {
  readonly id: number;
  readonly frame: RunFrame;
  readonly snapshot: ArmSnapshot;
}

export interface AnalysisReply {
  readonly id: number;
  readonly results: ExperimentResults;
}

interface Waiting {
  readonly resolve: (results: ExperimentResults) => void;
  readonly reject: (error: Error) => void;
}

/** Runs analyses beside the event loop: some take most of a second of pure computing. */
export interface AnalysisThread {
  analyze(frame: RunFrame, snapshot: ArmSnapshot): Promise<ExperimentResults>;
  close(): Promise<void>;
}

const IDLE_MS = 10_000;

/** Makes the thread on first use and ends it when it has been idle for a while: it costs some 20 MB. */
export function createAnalysisThread(): AnalysisThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let nextId = 1;

  function start(): Worker {
    const started = new Worker(new URL("./analysis-worker.ts", import.meta.url));
    started.on("message", ({ id, results }: AnalysisReply) => {
      waiting.get(id)?.resolve(results);
      waiting.delete(id);
      if (waiting.size === 0) idle = setTimeout(() => void end(), IDLE_MS).unref();
    });
    // A bug in one analysis ends the thread: what waited with it fails too, and the next call starts another.
    started.on("error", (error) => failAll(started, error as Error));
    started.on("exit", () => failAll(started, new Error("The analysis thread ended.")));
    return started;
  }

  function failAll(ended: Worker, error: Error): void {
    if (worker !== ended) return;
    worker = null;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  async function end(): Promise<void> {
    const ending = worker;
    clearTimeout(idle);
    if (ending === null) return;
    // Forgotten before it ends: a call that comes meanwhile starts another thread instead of waiting for this one.
    failAll(ending, new Error("The analysis thread was ended."));
    await ending.terminate();
  }

  return {
    analyze(frame, snapshot) {
      clearTimeout(idle);
      worker ??= start();
      const request: AnalysisRequest = { id: nextId++, frame, snapshot };
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject });
        worker?.postMessage(request);
      });
    },
    close: end,
  };
}
