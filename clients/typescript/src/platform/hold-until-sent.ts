import type { HoldSettings, Outbox } from "../platform.ts";
import type { Cancel } from "../schedule.ts";

const QUIET_MS = 50;
const LONGEST_MS = 500;
const FLUSH_TIMEOUT_MS = 10_000;

/**
 * Makes a function to call after each tracked event. It passes `waitUntil` a promise that resolves after a flush. The
 * flush starts 50 ms after the last event, and at most 500 ms after the first.
 */
export function holdUntilSent(
  { waitUntil, schedule, log }: HoldSettings,
  outbox: Pick<Outbox, "flush">,
): () => void {
  if (!waitUntil) return () => {};
  let cancels: Cancel[] = [];
  let end: (flushed: Promise<unknown>) => void;
  const fire = () => {
    for (const cancel of cancels) cancel();
    cancels = [];
    end(outbox.flush(FLUSH_TIMEOUT_MS));
  };
  const open = () => {
    cancels = [schedule(LONGEST_MS, fire, true)];
    const work = new Promise((resolve) => {
      end = resolve;
    });
    try {
      waitUntil(work);
    } catch {
      log.sayOnce("error", "waitUntil throws");
    }
  };
  return () => {
    if (cancels.length === 0) open();
    cancels[1]?.();
    cancels[1] = schedule(QUIET_MS, fire, true);
  };
}
