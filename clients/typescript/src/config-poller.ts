import { openLongPoll } from "#long-poll";
import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import type { KeptConfig } from "./kept-config.ts";
import type { LongPollSettings } from "./long-poll/asked.ts";
import { backoffMs, PAUSE_MS } from "./retry-policy.ts";
import type { Cancel } from "./schedule.ts";

/** Aborting `life` ends polling. */
export interface ConfigPollerDeps extends LongPollSettings {
  readonly pollIntervalMs: number;
  /** A config to start with, in the format of `GET /v1/config`. */
  readonly bootstrap?: unknown;
  /** Used at the start without a bootstrap. */
  readonly kept: KeptConfig;
  /** Called whenever the service answers with a config or says that there is no newer one. */
  readonly onLoad: () => void;
}

/** Keeps the last config loaded and polls for a newer one. */
export interface ConfigPoller {
  /** The current config; null until one is loaded. */
  readonly snapshot: ConfigSnapshot | null;
  /** Loads the config, if that is due. */
  wake(): void;
  /** Handles the `config_version` of an acknowledgement. A newer version triggers an earlier poll. */
  noteVersion(version: number): void;
  /** Call this when the client ends. */
  stop(): void;
}

/** Spreads the requests of clients that all hear of a change at the same time. */
const REFRESH_SPREAD_MS = 2_000;
/** A load takes at most the time limit of its request. */
const LOAD_MS = 10_000;

/** Makes a poller; `wake` starts it. */
export function createConfigPoller(deps: ConfigPollerDeps): ConfigPoller {
  const { transport, schedule, random, log, life, pollIntervalMs, bootstrap, kept, onLoad } = deps;
  let snapshot = parseConfig(bootstrap);
  if (bootstrap && !snapshot) log.sayOnce("error", "bootstrap is invalid");
  snapshot ??= kept.load();
  // The condition uses the import itself, so that bundles for browsers drop the code.
  const longPoll = openLongPoll ? openLongPoll(deps) : null;
  let etag: string | null = null;
  let failures = 0;
  let isLoading = false;
  /** When the next load is due, in epoch milliseconds. */
  let nextAt = 0;
  let cancelNext: Cancel = () => {};

  const loadAfter = (delayMs: number) => {
    cancelNext();
    nextAt = Date.now() + delayMs;
    if (!life.aborted) cancelNext = schedule(delayMs, () => void load());
  };
  const load = async () => {
    cancelNext();
    nextAt = Date.now() + LOAD_MS;
    isLoading = true;
    const answer = await ((openLongPoll && longPoll?.transport) ?? transport)({ etag });
    isLoading = false;
    if (life.aborted) return;
    const { status, body, logText, verdict } = answer;
    const loaded = status === 304 ? snapshot : status === 200 ? parseConfig(body) : null;
    const isRefused = verdict === "refuse";
    if (!loaded) {
      failures++;
      kept.noteFailure();
      if (!isRefused) log.count(`config not loaded, ${logText}`);
    } else {
      failures = 0;
      if (loaded !== snapshot) {
        snapshot = loaded;
        etag = answer.etag;
        kept.save(body);
        log.count("unreadable experiment", loaded.leftOut);
      }
    }
    const intervalMs = snapshot ? pollIntervalMs * (0.9 + 0.2 * random()) : 0;
    const backoff = backoffMs(answer, failures, snapshot ? 0 : random());
    loadAfter(
      isRefused
        ? PAUSE_MS
        : ((openLongPoll && longPoll?.delayMs({ answer, etag, loaded, failures })) ??
            Math.max(intervalMs, backoff)),
    );
    if (loaded) onLoad();
  };
  const wake = () => {
    if (Date.now() >= nextAt) void load();
  };
  return {
    get snapshot() {
      return snapshot;
    },
    wake,
    noteVersion(version) {
      const isDueSoon = isLoading || nextAt - Date.now() <= REFRESH_SPREAD_MS;
      if (snapshot && version > snapshot.version && !isDueSoon) loadAfter(random() * REFRESH_SPREAD_MS);
    },
    stop: () => cancelNext(),
  };
}
