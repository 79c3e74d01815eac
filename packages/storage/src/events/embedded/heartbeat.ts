import { get } from "node:http";

/** Unanswered beats in a row after which the engine counts as hung. */
const MISSES_ALLOWED = 3;

/**
 * Asks `GET /ping`, which computes in the engine, every `intervalMs`, and calls `onHung` once when three beats
 * in a row brought no answer. Beats are counted, not time: a parent that was stopped itself blames nobody.
 * Returns a function that ends the heartbeat.
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
      misses = 0; // any answer will do: an engine short of memory answers with an error, and lives
      response.resume();
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => {}); // counted above; a dead child is the exit's business
    request.on("close", () => {
      asking = false;
    });
  }

  return () => clearInterval(timer);
}
