import { get } from "node:http";

/** Missed beats in a row after which the engine counts as hung. */
const MISSES_ALLOWED = 3;

/**
 * Sends `GET /ping`, which runs a query in the engine, every `intervalMs`, and calls `onHung` once after three beats in
 * a row without an answer. It counts beats, not time, so that a pause of the parent does not count against the engine.
 * Returns a function that stops the heartbeat.
 */
export function startHeartbeat(url: string, intervalMs: number, onHung: () => void): () => void {
  let misses = 0;
  let asking = false;
  const timer = setInterval(() => {
    if (misses === MISSES_ALLOWED) {
      clearInterval(timer);
      onHung();
      return;
    }
    misses += 1; // until an answer says otherwise
    if (!asking) ask();
  }, intervalMs);

  function ask(): void {
    asking = true;
    const options = { agent: false, timeout: intervalMs * MISSES_ALLOWED };
    const request = get(`${url}/ping`, options, (response) => {
      misses = 0; // any answer counts: an engine short of memory answers with an error, but it is alive
      response.resume();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => {}); // counted above; the supervisor handles a dead child
    request.on("close", () => {
      asking = false;
    });
  }

  return () => clearInterval(timer);
}
