import type { Logger } from "pino";

/** A lease while it is held. */
interface HeldLease {
  /** Stops to renew it. */
  release(): void;
}

/**
 * Renews a lease again and again until it is released: so it can be short, and what a killed process held is free soon. A renewal
 * that fails, or finds the lease lost, is told to the log; the work goes on, since doing it twice does no harm.
 */
export function holdLease(renew: () => Promise<boolean>, everyMs: number, log: Logger): HeldLease {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    renew()
      .then((isMine) => {
        if (isMine) return;
        clearInterval(timer);
        log.warn("a lease was lost; another process does the same work");
      })
      .catch((error: unknown) => log.warn({ err: error }, "a lease could not be renewed; it is tried again"))
      .finally(() => {
        isBusy = false;
      });
  }, everyMs);
  timer.unref();
  return { release: () => clearInterval(timer) };
}
