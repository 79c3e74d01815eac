import { Worker } from "node:worker_threads";
import { type DatasetItem, DomainError, invalidBody } from "@assay/domain";
import type { InputPortion, InputTask, PreparedInputs, RefusedInputs } from "./prepare-inputs.ts";

/** Several times what the largest file within the document limits needs. */
const LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 1024 };
/** Ordinary files take seconds. An org's expression may take long on texts that it matches again and again. */
const DEADLINE_MS = 60_000;

/** Starting a thread takes a third of a second of CPU, so it stays for further files for a while. */
const IDLE_MS = 10_000;

/** A thread that nobody uses. */
let idle: Worker | null = null;

function takeWorker(): Worker {
  const worker =
    idle ?? new Worker(new URL("./input-worker.ts", import.meta.url), { resourceLimits: LIMITS });
  idle = null;
  worker.removeAllListeners();
  worker.ref();
  return worker;
}

function keepWorker(worker: Worker): void {
  idle = worker;
  worker.removeAllListeners();
  worker.unref();
  const forget = () => {
    if (idle === worker) idle = null;
  };
  worker.once("error", forget).once("exit", forget);
  const end = () => {
    if (idle !== worker) return;
    // Before it ends, so that a new file starts a fresh thread.
    idle = null;
    void worker.terminate();
  };
  setTimeout(end, IDLE_MS).unref();
}

/** A thread that reads and masks inputs, so that neither blocks the event loop. */
export interface InputThread {
  /** Throws `invalid-body` for a file that is refused or takes too long. Throws the signal's reason when aborted. */
  prepare(task: InputTask): Promise<PreparedInputs>;
  /** Gives the thread back, or ends it if it is still at work. */
  close(): Promise<void>;
}

/** Starts the thread, or reuses an idle one. Each task has until the deadline. */
export function startInputThread(signal: AbortSignal, deadlineMs = DEADLINE_MS): InputThread {
  const worker = takeWorker();
  let asked: PromiseWithResolvers<PreparedInputs | RefusedInputs> | null = null;
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure ??= error;
    asked?.reject(failure);
  };
  let items: DatasetItem[] = [];
  worker.on("message", (answer: PreparedInputs | RefusedInputs | InputPortion) => {
    if ("portion" in answer) items.push(...answer.portion);
    else asked?.resolve("faults" in answer ? answer : { ...answer, items });
  });
  worker.on("error", (error) => fail(isOutOfMemory(error) ? refused(TOO_LARGE) : error));
  worker.on("exit", () => fail(new Error("The thread that reads inputs has ended.")));
  const abort = () => fail(signal.reason);
  signal.addEventListener("abort", abort, { once: true });

  return {
    async prepare(task) {
      signal.throwIfAborted();
      if (failure !== null) throw failure;
      asked = Promise.withResolvers();
      items = [];
      const late = setTimeout(() => fail(refused(TOO_SLOW)), deadlineMs);
      try {
        worker.postMessage(task);
        const answer = await asked.promise;
        asked = null;
        if ("faults" in answer) throw refusedFor(answer.faults);
        return answer;
      } finally {
        clearTimeout(late);
      }
    },
    async close() {
      signal.removeEventListener("abort", abort);
      if (failure === null && asked === null && idle === null) keepWorker(worker);
      else await worker.terminate();
    },
  };
}

const TOO_LARGE =
  "The file takes too much memory to read: remove fields that Assay does not read, or split the file.";
const TOO_SLOW =
  "Reading and masking the inputs takes too long: send fewer, or simplify your masking rules (GET /v1/masking-rules).";

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
}

function refused(detail: string): DomainError {
  return refusedFor([detail]);
}

function refusedFor(details: readonly string[]): DomainError {
  const faults = details.map((detail) => ({ pointer: "", detail }));
  const [first, ...others] = details;
  return others.length === 0
    ? invalidBody(faults)
    : new DomainError("invalid-body", `${first} More faulty rows: ${others.length}.`, { faults });
}
