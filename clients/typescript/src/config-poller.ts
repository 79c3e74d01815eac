import type { ClientLog } from "./client-log.ts";
import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import { backoffMs, PAUSE_MS } from "./retry-policy.ts";
import type { Cancel, Schedule } from "./schedule.ts";
import type { Transport } from "./transport.ts";

export interface ConfigPollerDeps {
  readonly transport: Transport;
  readonly schedule: Schedule;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: ClientLog;
  /** Its abort ends polling. */
  readonly life: AbortSignal;
  readonly pollIntervalMs: number;
  /** A config to begin with, as `GET /v1/config` answers it. */
  readonly bootstrap?: unknown;
  /** Called whenever the service answered with a config, or that there is no newer one. */
  readonly onLoad: () => void;
}

/** Keeps the last config that could be loaded, and polls for a newer one. */
export interface ConfigPoller {
  /** The config in force, null until one is loaded. */
  readonly snapshot: ConfigSnapshot | null;
  /** Loads the config if that is due. */
  wake(): void;
  /** Takes the `config_version` of an acknowledgement: a newer one brings the next poll forward. */
  noteVersion(version: number): void;
  /** To be called at the end of the client's life. */
  stop(): void;
}

/** Clients that all learn of a change at once must not all ask at once. */
const REFRESH_SPREAD_MS = 2_000;
/** A load takes no longer than its request may. */
const LOAD_MS = 10_000;

/** Makes a poller; `wake` starts it. */
export function createConfigPoller(deps: ConfigPollerDeps): ConfigPoller {
  const { transport, schedule, random, log, life, pollIntervalMs, bootstrap, onLoad } = deps;
  let snapshot = parseConfig(bootstrap);
  if (bootstrap && snapshot === null) log.once("error", "bootstrap is no config");
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
    const answer = await transport({ etag });
    isLoading = false;
    if (life.aborted) return;
    const { status, body, reason, verdict } = answer;
    const loaded = status === 304 ? snapshot : status === 200 ? parseConfig(body) : null;
    const isRefused = verdict === "refuse";
    if (loaded === null) {
      failures++;
      if (!isRefused) log.count(`config not loaded, ${reason}`);
    } else {
      failures = 0;
      if (loaded !== snapshot) {
        snapshot = loaded;
        etag = answer.etag;
        log.count("unreadable experiment", loaded.unreadable);
      }
    }
    const intervalMs = snapshot === null ? 0 : pollIntervalMs * (0.9 + 0.2 * random());
    const backoff = loaded === null ? backoffMs(answer, failures, snapshot === null ? random() : 0) : 0;
    loadAfter(isRefused ? PAUSE_MS : Math.max(intervalMs, backoff));
    if (loaded !== null) onLoad();
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
      if (snapshot !== null && version > snapshot.version && !isDueSoon)
        loadAfter(random() * REFRESH_SPREAD_MS);
    },
    stop: () => cancelNext(),
  };
}
