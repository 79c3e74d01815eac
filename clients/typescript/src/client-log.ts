import type { Cancel, Schedule } from "./schedule.ts";

/**
 * Receives the client's few messages. `console` and most loggers fit. Messages never contain payloads or
 * keys.
 */
export interface Log {
  warn(message: string): void;
  error(message: string): void;
}

/** Logs a message once, or at most once a minute with a count. Never throws, even if the logger does. */
export interface ClientLog {
  /** Logs the message, unless it was logged before. */
  sayOnce(level: keyof Log, message: string): void;
  /**
   * Logs `reason: count` as a warning at once. Repeats within a minute are logged together at its end. A
   * count of 0 is not logged.
   */
  count(reason: string, count?: number): void;
  /** Logs the counts that are still waiting for their minute to end. */
  close(): void;
}

interface Tally {
  count: number;
  readonly cancel: Cancel;
}

const LONGEST_SILENCE_MS = 60_000;
/** Some reasons come from the service, so their number is limited. */
const MAX_REASONS = 50;
const LONGEST_REASON = 200;
/** Some messages contain names from the application's data. */
const MAX_SAID = 1_000;

/** Makes the client's log from the caller's. */
export function createClientLog(log: Log, schedule: Schedule): ClientLog {
  const said = new Set<string>();
  /** The reasons of the last minute, each with the count that is not logged yet. */
  const tallies = new Map<string, Tally>();

  const write = (level: keyof Log, message: string) => {
    try {
      (log[level] ? log : console)[level](`[assay] ${message}`);
    } catch {
      // A broken logger must not break the caller.
    }
  };
  const count = (reason: string, more = 1) => {
    if (!more) return;
    const short = reason.slice(0, LONGEST_REASON);
    const key = tallies.has(short) || tallies.size < MAX_REASONS ? short : "other reasons";
    const tally = tallies.get(key);
    if (tally) {
      tally.count += more;
      return;
    }
    write("warn", `${key}: ${more}`);
    const cancel = schedule(LONGEST_SILENCE_MS, () => {
      tallies.delete(key);
      count(key, opened.count);
    });
    const opened = { count: 0, cancel };
    tallies.set(key, opened);
  };
  return {
    sayOnce(level, message) {
      if (said.has(message) || said.size >= MAX_SAID) return;
      said.add(message);
      write(level, message);
    },
    count,
    close() {
      for (const [reason, tally] of tallies) {
        tally.cancel();
        if (tally.count > 0) write("warn", `${reason}: ${tally.count}`);
      }
      tallies.clear();
    },
  };
}
