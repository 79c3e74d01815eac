import { Worker } from "node:worker_threads";
import { DomainError, type TraceFact } from "@assay/domain";
import { readFacts } from "./accept-traces.ts";
import { decodeBody } from "./read-request.ts";
import { addFacts, type Traces } from "./traces.ts";

type Signal = "traces" | "logs";
type Encoding = "json" | "protobuf";

/** A body to read, or the wish for what is next of it. */
export type DecodeRequest =
  | { readonly bytes: Uint8Array; readonly signal: Signal; readonly encoding: Encoding }
  | "next";

/** A portion of the facts, or the reason why there are none. The portion with `malformed` is the last one. */
export type DecodeReply =
  | { readonly portion: Traces; readonly malformed?: number }
  | { readonly unreadable: string };

/** A request's facts by trace, and how many of its spans or log records have no valid ids. */
export interface DecodedBody {
  readonly traces: Traces;
  readonly malformed: number;
}

/** Reads bodies. */
export interface Decoder {
  /** Throws `invalid-body`. */
  decode(body: Buffer, signal: Signal, encoding: Encoding): Promise<DecodedBody>;
  close(): Promise<void>;
}

/** Larger bodies are read in a thread. For smaller ones, handing over the facts would take longer than reading. */
const LARGE_BYTES = 256 * 1024;
/** Many times what a body needs. A fault in here ends the thread, not the service. */
const LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 };
/** An idle thread costs about 35 MB, so it is stopped after a while. */
const IDLE_MS = 10_000;

interface Task {
  readonly request: DecodeRequest;
  readonly traces: Map<string, TraceFact[]>;
  readonly done: PromiseWithResolvers<DecodedBody>;
}

/** Makes a decoder with a thread for large bodies, one at a time, so that no other request waits for megabytes. */
export function createDecoder(): Decoder {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const tasks: Task[] = [];

  function start(): Worker {
    const started = new Worker(new URL("./decode-worker.ts", import.meta.url), { resourceLimits: LIMITS });
    started.on("message", (reply: DecodeReply) => take(started, reply));
    started.on("error", (error) => lose(started, error as Error));
    started.on("exit", () => lose(started, new Error("The thread that decodes OpenTelemetry has ended.")));
    return started;
  }

  /** Fails the body that is being read. Later bodies get a new thread. */
  function lose(lost: Worker, error: Error): void {
    if (lost !== worker) return;
    worker = null;
    tasks.shift()?.done.reject(error);
    next();
  }

  function next(): void {
    clearTimeout(idle);
    const [task] = tasks;
    if (task === undefined) {
      idle = setTimeout(() => void close(), IDLE_MS).unref();
      return;
    }
    worker ??= start();
    worker.postMessage(task.request);
  }

  function take(from: Worker, reply: DecodeReply): void {
    const [task] = tasks;
    if (from !== worker || task === undefined) return;
    if ("portion" in reply) {
      for (const [traceId, facts] of reply.portion) addFacts(task.traces, traceId, facts);
      if (reply.malformed === undefined) {
        worker.postMessage("next" satisfies DecodeRequest);
        return;
      }
      task.done.resolve({ traces: task.traces, malformed: reply.malformed });
    } else task.done.reject(new DomainError("invalid-body", reply.unreadable));
    tasks.shift();
    next();
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const ended = worker;
    worker = null;
    for (const { done } of tasks.splice(0)) done.reject(new Error("The service stops."));
    await ended?.terminate();
  }

  return {
    async decode(body, signal, encoding) {
      if (body.length <= LARGE_BYTES) {
        const batch = decodeBody(body, signal, encoding);
        return { traces: await readFacts(batch), malformed: batch.malformed };
      }
      const done = Promise.withResolvers<DecodedBody>();
      tasks.push({ request: { bytes: body, signal, encoding }, traces: new Map(), done });
      if (tasks.length === 1) next();
      return done.promise;
    },
    close,
  };
}
