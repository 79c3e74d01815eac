import type { ClientLog } from "./client-log.ts";
import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import { type Answer, backoffMs, isRefusal, PAUSE_MS, reasonOf } from "./retry-policy.ts";
import type { Cancel, Schedule } from "./schedule.ts";
import type { Transport } from "./transport.ts";

export interface ConfigPollerDeps {
  readonly transport: Transport;
  readonly schedule: Schedule;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: ClientLog;
  readonly pollIntervalMs: number;
  /** A config to begin with, as `GET /v1/config` answers it. */
  readonly bootstrap: unknown;
  /** Called with every config that is loaded. */
  readonly onLoad: (snapshot: ConfigSnapshot) => void;
}

/** Clients that all learn of a change at once must not all ask at once. */
const REFRESH_SPREAD_MS = 2_000;

/** Keeps the last config that could be loaded, and polls for a newer one. */
export class ConfigPoller {
  readonly #deps: ConfigPollerDeps;
  readonly #stop = new AbortController();
  #snapshot: ConfigSnapshot | null = null;
  #etag: string | null = null;
  #failures = 0;
  #isLoading = false;
  #isRefreshDue = false;
  #cancelNext: Cancel = () => {};

  constructor(deps: ConfigPollerDeps) {
    this.#deps = deps;
    const { bootstrap, log } = deps;
    if (bootstrap === undefined || bootstrap === null) return;
    this.#snapshot = parseConfig(bootstrap);
    if (this.#snapshot === null) log.once("error", "bootstrap is no config: hand over configSnapshot()");
  }

  /** The config in force, null until one is loaded. */
  get snapshot(): ConfigSnapshot | null {
    return this.#snapshot;
  }

  start(): void {
    void this.#load();
  }

  stop(): void {
    this.#stop.abort();
    this.#cancelNext();
  }

  /** Takes the `config_version` of an acknowledgement: a newer one brings the next poll forward. */
  noteVersion(version: number): void {
    const isNewer = this.#snapshot !== null && version > this.#snapshot.version;
    if (!isNewer || this.#isLoading || this.#isRefreshDue || this.#stop.signal.aborted) return;
    this.#isRefreshDue = true;
    this.#loadAfter(this.#deps.random() * REFRESH_SPREAD_MS);
  }

  #loadAfter(delayMs: number): void {
    this.#cancelNext();
    this.#cancelNext = this.#deps.schedule(delayMs, () => void this.#load());
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    this.#isRefreshDue = false;
    const headers: Record<string, string> = this.#etag === null ? {} : { "If-None-Match": this.#etag };
    const request = { method: "GET", headers, signal: this.#stop.signal } as const;
    const answer = await this.#deps.transport("/v1/config", request);
    this.#isLoading = false;
    if (this.#stop.signal.aborted) return;
    this.#failures = this.#take(answer) ? 0 : this.#failures + 1;
    this.#loadAfter(this.#nextDelayMs(answer));
  }

  /** Takes over the config of an answer; false leaves the last one in force. */
  #take(answer: Answer): boolean {
    const { log, onLoad } = this.#deps;
    if (answer.kind === "response" && answer.status === 304 && this.#snapshot !== null) return true;
    const snapshot = answer.kind === "response" && answer.status === 200 ? parseConfig(answer.body) : null;
    if (answer.kind === "network" || snapshot === null) {
      if (isRefusal(answer)) log.once("error", `the API key was refused: ${reasonOf(answer)}`);
      else log.count(`config could not be loaded, ${reasonOf(answer)}`);
      return false;
    }
    if (snapshot.unreadable > 0) log.count("unreadable experiment in the config", snapshot.unreadable);
    this.#snapshot = snapshot;
    this.#etag = answer.etag;
    onLoad(snapshot);
    return true;
  }

  #nextDelayMs(answer: Answer): number {
    const { random, pollIntervalMs } = this.#deps;
    if (this.#failures > 0 && isRefusal(answer)) return PAUSE_MS;
    if (this.#failures > 0 && this.#snapshot === null) return backoffMs(answer, this.#failures, random());
    const interval = pollIntervalMs * (0.9 + 0.2 * random());
    return this.#failures > 0 ? Math.max(interval, backoffMs(answer, 1, 0)) : interval;
  }
}
