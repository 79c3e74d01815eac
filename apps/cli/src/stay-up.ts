import type { Service } from "@assay/server";

/** Resolves when the process is asked to stop and the service has closed; a second request ends it at once. */
export function stayUpUntilSignal(service: Pick<Service, "close">): Promise<void> {
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const stop = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      console.log("Stopping: storing what was accepted …");
      service.close().then(resolve, reject);
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
    process.on("SIGHUP", stop);
  });
}
