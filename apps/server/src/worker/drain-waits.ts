import { setTimeout as sleep } from "node:timers/promises";

/** The callers in this process that wait until a queue is drained, and the pause of its consumer. */
interface Waits {
  waiting: number;
  endPause: () => void;
}

const waitsOf = new WeakMap<object, Waits>();

function waitsFor(queue: object): Waits {
  const waits = waitsOf.get(queue) ?? { waiting: 0, endPause: () => {} };
  waitsOf.set(queue, waits);
  return waits;
}

/** Pauses the consumer of a queue, unless somebody waits until it is drained. Returns early when the service stops. */
export async function pauseUnlessAwaited(queue: object, ms: number, stopping: AbortSignal): Promise<void> {
  const waits = waitsFor(queue);
  if (ms <= 0 || waits.waiting > 0) return;
  const ended = new AbortController();
  waits.endPause = () => ended.abort();
  const signal = AbortSignal.any([ended.signal, stopping]);
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Runs `work` without pauses of the queue's consumer. */
export async function withoutPauses<T>(queue: object, work: () => Promise<T>): Promise<T> {
  const waits = waitsFor(queue);
  waits.waiting += 1;
  waits.endPause();
  try {
    return await work();
  } finally {
    waits.waiting -= 1;
  }
}
