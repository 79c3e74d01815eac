/** A server that answers queries slowly still answers `/ping`; one that hangs answers nothing. */
const EVERY_MS = 10_000;
const PING_MS = 5_000;
/** A single one may be lost. */
const MISSED = 2;

/** Runs a read; its signal aborts when the server has stopped answering. */
export type ReadWatch = <T>(read: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Watches reads of a server: while one takes long, the server is pinged on a connection of its own, and the read is aborted when that is not
 * answered twice in a row. Any answer counts, because a proxy may not know the address.
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

/** The embedded engine is watched by its process: it ends with it. */
export const unwatched: ReadWatch = (read) => read();
