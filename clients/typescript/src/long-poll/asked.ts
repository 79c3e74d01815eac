import type { ConfigSnapshot } from "../config-snapshot.ts";
import { type Answer, backoffMs } from "../retry-policy.ts";
import { createTransport, type Transport, type TransportSettings } from "../transport.ts";
import { fetchInBackground } from "./fetch-in-background.ts";

export interface LongPollSettings extends TransportSettings {
  /** The transport for requests that do not wait. */
  readonly transport: Transport;
  readonly longPoll?: boolean | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** The result of a config request. */
export interface Outcome {
  readonly answer: Answer;
  /** The ETag of the config before the request. Null for none. */
  readonly etag: string | null;
  /** The config after the request. Null when the request failed. */
  readonly loaded: Pick<ConfigSnapshot, "version"> | null;
  /** How many requests in a row have failed. */
  readonly failures: number;
}

/** Config requests that wait for a change. */
export interface LongPoll {
  /** Like the transport. With an ETag, the request stays open until the config changes. */
  readonly transport: Transport;
  /** Returns how long after the last answer to make the next request. Null for the usual interval. */
  delayMs(outcome: Outcome): number | null;
}

/** How long the service waits before it answers 304. Many proxies close a connection after a minute without traffic. */
const WAIT_MS = 30_000;
/** Spreads the requests of clients that were all answered at the same time. */
const SPREAD_MS = 1_000;
/** An answer that took this long shows that the service waited. Without a wait, the request would have timed out. */
const WAITED_MS = 10_000;

/** Makes the waiting requests. Null unless the options request them. The function is null on platforms that cannot wait. */
export const openLongPoll: ((settings: LongPollSettings) => LongPoll | null) | null = (settings) => {
  if (settings.longPoll !== true) return null;
  const { transport, schedule, random } = settings;
  const waitingTransport = createTransport({
    ...settings,
    fetch: (url, init) => fetchInBackground(settings.fetch, `${url}?wait=${WAIT_MS / 1_000}`, init),
    // The request's time limit starts after the wait.
    schedule: (limitMs, giveUp) => schedule(WAIT_MS + limitMs, giveUp),
    // The answer's Date is that of its end, so the wait must not count as part of the round trip.
    noteDate: (_sentAt, date) => settings.noteDate(Date.now(), date),
  });
  let tookMs = 0;
  /** The version of the service's last config. */
  let version = Number.NEGATIVE_INFINITY;
  return {
    async transport(request) {
      const since = Date.now();
      const answer = await (request.etag ? waitingTransport : transport)(request);
      tookMs = Date.now() - since;
      return answer;
    },
    delayMs({ answer, etag, loaded, failures }) {
      if (loaded === null) return backoffMs(answer, failures, random());
      const isNewer = loaded.version > version;
      version = loaded.version;
      // A service that answers at once with nothing new would otherwise be polled in a tight loop.
      if (etag === null || !(isNewer || tookMs >= WAITED_MS)) return null;
      return answer.status === 304 && tookMs >= WAIT_MS ? 0 : random() * SPREAD_MS;
    },
  };
};
