import { Worker } from "node:worker_threads";
import type { ImportFormat } from "@assay/contract";
import type { Reading } from "./row-collector.ts";
import { UnreadableFile } from "./row-reader.ts";

/** The next bytes of the file, or null at its end. */
export type ReaderRequest = Uint8Array<ArrayBuffer> | null;
export type ReaderReply = { readonly reading: Reading } | { readonly unreadable: string };

/** A thread that reads one file, so that parsing does not block the event loop. */
export interface ReaderThread {
  /** Reads the next piece, whose memory moves to the thread. Throws `UnreadableFile`. */
  read(bytes: Uint8Array<ArrayBuffer>): Promise<Reading>;
  /** Reads what the end of the file settles. */
  finish(): Promise<Reading>;
  /** Ends the thread, whatever it is doing. */
  close(): Promise<void>;
}

/** Many times what reading needs. The limit makes the garbage collector run, and keeps a fault here from the service. */
const LIMITS = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/** Starts the thread. */
export function startReaderThread(format: ImportFormat): ReaderThread {
  const worker = new Worker(new URL("./import-worker.ts", import.meta.url), {
    workerData: { format },
    resourceLimits: LIMITS,
  });
  const asked: PromiseWithResolvers<Reading>[] = [];
  let failure: Error | null = null;
  const fail = (error: Error) => {
    failure ??= error;
    for (const { reject } of asked.splice(0)) reject(failure);
  };
  worker.on("message", (reply: ReaderReply) => {
    const call = asked.shift();
    if ("reading" in reply) call?.resolve(reply.reading);
    else call?.reject(new UnreadableFile(reply.unreadable));
  });
  worker.on("error", (error) => fail(error as Error));
  worker.on("exit", () => fail(new Error("The thread that reads the import has ended.")));

  function ask(request: ReaderRequest): Promise<Reading> {
    if (failure !== null) return Promise.reject(failure);
    const call = Promise.withResolvers<Reading>();
    // An import that ends early leaves answers that nobody awaits.
    call.promise.catch(() => undefined);
    asked.push(call);
    worker.postMessage(request, request === null ? [] : [request.buffer]);
    return call.promise;
  }

  return {
    read: ask,
    finish: () => ask(null),
    async close() {
      await worker.terminate();
    },
  };
}
