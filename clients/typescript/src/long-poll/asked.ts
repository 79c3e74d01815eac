import type { ConfigSnapshot } from "../config-snapshot.ts";
import { type Answer, backoffMs } from "../retry-policy.ts";
import { createTransport, type Transport, type TransportSettings } from "../transport.ts";
import { fetchInBackground } from "./fetch-in-background.ts";

export interface LongPollSettings extends TransportSettings {
  /** Makes the requests that do not wait. */
  readonly transport: Transport;
  readonly longPoll?: boolean | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** What came of a request for the config. */
export interface Outcome {
  readonly answer: Answer;
  /** The ETag of the config in force; null for none. */
  readonly etag: string | null;
  /** The config in force after it; null when it failed. */
  readonly loaded: Pick<ConfigSnapshot, "version"> | null;
  /** How many requests in a row have failed. */
  readonly failures: number;
}

/** Requests for the config that wait for a change. */
export interface LongPoll {
  /** Like the transport. With an ETag, the request stays open until there is another config. */
  readonly transport: Transport;
  /** Returns how long after the last request's answer to make the next one; null for the usual time. */
  delayMs(outcome: Outcome): number | null;
}

/** How long the service waits before it answers 304. Many proxies close a connection after a minute without traffic. */
const WAIT_MS = 30_000;
/** Spreads the requests of clients that were all answered at the same time. */
const SPREAD_MS = 1_000;
/** The service waited with an answer that took this long: without a wait, the request would have been given up. */
const WAITED_MS = 10_000;

/** Makes the requests that wait; null unless the options ask for them. The function itself is null where nothing can wait. */
export const openLongPoll: ((settings: LongPollSettings) => LongPoll | null) | null = (settings) => {
  if (settings.longPoll !== true) return null;
  const { transport, schedule, random } = settings;
  const waitingTransport = createTransport({
    ...settings,
    fetch: (url, init) => fetchInBackground(settings.fetch, `${url}?wait=${WAIT_MS / 1_000}`, init),
    // The time limit of an answer begins when the wait ends.
    schedule: (limitMs, giveUp) => schedule(WAIT_MS + limitMs, giveUp),
    // The answer's Date is of its end: the wait is no part of the round trip.
    noteDate: (_sentAt, date) => settings.noteDate(Date.now(), date),
  });
  let tookMs = 0;
  /** Of the service's last config. */
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
      // What answers at once with nothing new would be asked without end.
      if (etag === null || !(isNewer || tookMs >= WAITED_MS)) return null;
      return answer.status === 304 && tookMs >= WAIT_MS ? 0 : random() * SPREAD_MS;
    },
  };
};
