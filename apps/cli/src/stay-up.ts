import { constants } from "node:os";
import type { Service } from "@assay/server";

/** One Ctrl+C arrives several times: from the terminal, and from each parent launcher that forwards it. */
const BURST_MS = 1_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signal to stop the process. */
export interface StopSignal {
  /** Resolves when the process is asked to stop and the service has closed. A second request exits at once. */
  stayUp(service: Pick<Service, "close">): Promise<void>;
}

/**
 * Starts to listen for signals. The first process of a container has no default signal handlers, so without this a stop during
 * start-up would be lost. A stop then exits at once, which is as safe as a kill.
 */
export function listenForStop(): StopSignal {
  let askedAt: number | null = null;
  let close: (() => void) | null = null;
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (close === null) process.exit(128 + constants.signals[signal]);
      if (askedAt !== null) {
        if (performance.now() - askedAt > BURST_MS) process.exit(1);
        return;
      }
      askedAt = performance.now();
      close();
    });
  return {
    stayUp: (service) =>
      new Promise((resolve, reject) => {
        close = () => {
          console.log("Stopping: storing what was accepted …");
          service.close().then(resolve, reject);
        };
      }),
  };
}
