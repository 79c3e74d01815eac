// The hostile senders have their own thread. Otherwise their megabytes would delay the timing of the other requests.
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** A request that several senders repeat. */
export interface Repeated {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly senders: number;
  readonly forMs: number;
  /** How long a sender waits after a 429. */
  readonly pauseMs: number;
}

/** Repeats a request in another thread. Resolves once the time is over, and throws when an answer is a 5xx. */
export function repeatRequest(repeated: Repeated): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: repeated });
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}

async function send({ url, headers, body, forMs, pauseMs }: Repeated): Promise<void> {
  const until = performance.now() + forMs;
  while (performance.now() < until) {
    const response = await fetch(url, { method: "POST", headers, body });
    await response.arrayBuffer();
    if (response.status === 429) await sleep(pauseMs);
    if (response.status >= 500) throw new Error(`${url}: ${response.status}`);
  }
}

if (!isMainThread) {
  const repeated = workerData as Repeated;
  await Promise.all(Array.from({ length: repeated.senders }, () => send(repeated)));
}
