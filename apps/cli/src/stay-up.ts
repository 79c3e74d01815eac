import type { Service } from "@assay/server";

/** One Ctrl+C arrives several times: from the terminal and from each launcher above that passes it on. */
const BURST_MS = 1_000;

/** Resolves when the process is asked to stop and the service has closed; asking again later ends it at once. */
export function stayUpUntilSignal(service: Pick<Service, "close">): Promise<void> {
  return new Promise((resolve, reject) => {
    let askedAt: number | null = null;
    const stop = () => {
      if (askedAt !== null) {
        if (performance.now() - askedAt > BURST_MS) process.exit(1);
        return;
      }
      askedAt = performance.now();
      console.log("Stopping: storing what was accepted …");
      service.close().then(resolve, reject);
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    process.on("SIGHUP", stop);
  });
}
