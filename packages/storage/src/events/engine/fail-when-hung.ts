/** A server that is only slow still answers `/ping`. A hung server answers nothing. */
const EVERY_MS = 10_000;
const PING_MS = 5_000;
/** One lost ping may be chance. */
const MISSED = 2;

/** Runs a read. Its signal aborts when the server stops responding. */
export type ReadWatch = <T>(read: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Watches reads from a server. During a long read, it pings the server on a separate connection and aborts the read when two pings
 * in a row get no answer. Any answer counts, even an error: a proxy may not know `/ping`.
 */
export function failWhenHung(url: string, everyMs = EVERY_MS, pingMs = PING_MS): ReadWatch {
  return async (read) => {
    const hung = new AbortController();
    let missed = 0;
    const timer = setInterval(async () => {
      const answered = await fetch(new URL("/ping", url), { signal: AbortSignal.timeout(pingMs) }).then(
        (response) => response.body?.cancel().then(() => true) ?? true,
        () => false,
      );
      missed = answered ? 0 : missed + 1;
      if (missed >= MISSED) hung.abort();
    }, everyMs);
    try {
      return await read(hung.signal);
    } finally {
      clearInterval(timer);
    }
  };
}

/** For the embedded engine: its supervisor watches the engine, and a read ends with the engine's process. */
export const unwatched: ReadWatch = (read) => read();
