// The hostile senders have their own thread. Otherwise their megabytes would delay the timing of the other requests.
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** How long a sender waits after a 429. Without a pause, it would measure the machine's network. */
const REFUSED_PAUSE_MS = 100;

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A request that several senders repeat. */
interface Repeated extends Post {
  readonly senders: number;
  readonly forMs: number;
}

/** Sends a request once, and pauses if it is refused. Throws when the answer is a 5xx. */
export async function post({ url, headers, body }: Post): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body });
  await response.arrayBuffer();
  if (response.status === 429) await sleep(REFUSED_PAUSE_MS);
  if (response.status >= 500) throw new Error(`${url}: ${response.status}`);
}

/** Repeats a request in another thread. Resolves once the time is over, and throws when an answer is a 5xx. */
export function repeatRequest(repeated: Repeated): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: repeated });
    worker.once("error", reject);
    worker.once("exit", () => resolve());
  });
}

async function send(repeated: Repeated): Promise<void> {
  const until = performance.now() + repeated.forMs;
  while (performance.now() < until) await post(repeated);
}

if (!isMainThread) {
  const repeated = workerData as Repeated;
  await Promise.all(Array.from({ length: repeated.senders }, () => send(repeated)));
}
