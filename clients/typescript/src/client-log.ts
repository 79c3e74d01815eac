import type { Cancel, Schedule } from "./schedule.ts";

/**
 * Receives the client's few messages. `console` and most loggers fit. Messages never contain payloads or
 * keys.
 */
export interface Log {
  warn(message: string): void;
  error(message: string): void;
}

interface Tally {
  count: number;
  readonly cancel: Cancel;
}

const LONGEST_SILENCE_MS = 60_000;
/** Some reasons come from the service, so their number is limited. */
const MAX_REASONS = 50;
const LONGEST_REASON = 200;

/** Logs a message once, or at most once a minute with a count. Never throws, even if the logger does. */
export class ClientLog {
  readonly #log: Log;
  readonly #schedule: Schedule;
  readonly #said = new Set<string>();
  /** The reasons of the last minute, each with the count that is not logged yet. */
  readonly #tallies = new Map<string, Tally>();

  constructor(log: Log, schedule: Schedule) {
    this.#log = log;
    this.#schedule = schedule;
  }

  /** Logs the message unless it was logged before. */
  once(level: keyof Log, message: string): void {
    if (this.#said.has(message)) return;
    this.#said.add(message);
    this.#write(level, message);
  }

  /**
   * Logs `reason: count` as a warning at once. Repeats within a minute are logged together at its end. A
   * count of 0 is not logged.
   */
  count(reason: string, count = 1): void {
    if (count === 0) return;
    const short = reason.slice(0, LONGEST_REASON);
    const key = this.#tallies.has(short) || this.#tallies.size < MAX_REASONS ? short : "other reasons";
    const tally = this.#tallies.get(key);
    if (tally) {
      tally.count += count;
      return;
    }
    this.#write("warn", `${key}: ${count}`);
    const cancel = this.#schedule(LONGEST_SILENCE_MS, () => {
      this.#tallies.delete(key);
      this.count(key, opened.count);
    });
    const opened = { count: 0, cancel };
    this.#tallies.set(key, opened);
  }

  /** Logs the counts that still wait for the end of their minute. */
  close(): void {
    for (const [reason, { count, cancel }] of this.#tallies) {
      cancel();
      if (count > 0) this.#write("warn", `${reason}: ${count}`);
    }
    this.#tallies.clear();
  }

  #write(level: keyof Log, message: string): void {
    try {
      this.#log[level](`[assay] ${message}`);
    } catch {
      // A broken logger must not break the caller.
    }
  }
}
