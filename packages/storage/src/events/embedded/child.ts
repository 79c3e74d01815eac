import { flushCompileCache } from "node:module";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { openEngine } from "./engine.ts";
import { createFront } from "./front.ts";
import type { ChildCommand, ReadyMessage, StartMessage } from "./messages.ts";
import { createQuerySlots } from "./query-slots.ts";

/** More queries at once would only use more memory. One service sends far fewer than 256 at a time. */
const SLOTS = { running: 4, waiting: 256 };
/** How long running queries may continue after a stop request; then they are killed. */
const DRAIN_MS = 5_000;
const CLOSE_IDLE_MS = 20;
const COLLECT_MS = 60_000;

/**
 * Ends this process at once, even while queries run. A plain exit would wait for them, and chDB's handlers of fatal
 * signals hang. Acknowledged inserts are on disk, so nothing is lost.
 */
function die(): void {
  process.kill(process.pid, "SIGKILL");
}

async function start({ dataDir, port, username, password }: StartMessage): Promise<() => Promise<void>> {
  const engine = openEngine(dataDir);
  const stopping = new AbortController();
  const slots = createQuerySlots(SLOTS);
  const front = createFront({ engine, slots, username, password, stopping: stopping.signal });
  front.listen(port, "127.0.0.1", () => {
    const ready: ReadyMessage = { kind: "ready", port: (front.address() as AddressInfo).port };
    process.send!(ready);
    flushCompileCache(); // for the next start, in case this process is killed
  });
  return async () => {
    const drained = new Promise((resolve) => front.close(resolve));
    setInterval(() => front.closeIdleConnections(), CLOSE_IDLE_MS); // also those that become idle later
    await Promise.race([drained, delay(DRAIN_MS)]);
    stopping.abort();
    await drained;
    engine.close();
    process.exit(0);
  };
}

// While the service is idle, nothing else frees the bodies of the last inserts, up to 70 MB.
setInterval(() => globalThis.gc?.(), COLLECT_MS);

// Ctrl-C and service managers signal the whole group, but the parent still needs the engine to stop cleanly.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("disconnect", die);
process.on("uncaughtException", (error) => {
  console.error(error);
  die();
});

let stop: (() => Promise<void>) | null = null;
process.on("message", async (message) => {
  const command = message as ChildCommand;
  if (command.kind === "start") stop = await start(command);
  else await stop?.();
});
