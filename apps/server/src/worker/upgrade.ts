import type { Deps } from "../deps.ts";

/** Makes the task that does what an upgrade of the event store left to the background, piece by piece. */
export function upgradeTask({
  events,
  clock,
  stopping,
  log,
}: Pick<Deps, "events" | "clock" | "stopping" | "log">): () => Promise<void> {
  return async () => {
    const upgrade = () => events.continueUpgrade(clock.now());
    if (!(await upgrade())) return;
    log.info("upgrading the event store in the background");
    let pieces = 1;
    while (!stopping.aborted) {
      pieces += 1;
      if (await upgrade()) continue;
      log.info({ pieces }, "the event store is upgraded as far as it can be now");
      return;
    }
  };
}
