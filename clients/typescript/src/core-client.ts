import { findVariant } from "@assay/bucketing";
import { ClientLog } from "./client-log.ts";
import { type ClientOptions, type ClientSettings, resolveOptions } from "./client-options.ts";
import { ConfigPoller } from "./config-poller.ts";
import type { ConfigSnapshot, ConfigVariant } from "./config-snapshot.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { EventQueue } from "./event-queue.ts";
import { type EventPayload, type EventType, toEventRow, UnsendableEvent } from "./event-row.ts";
import { ExposureMemory } from "./exposure-memory.ts";
import { Sender } from "./sender.ts";
import { createTransport } from "./transport.ts";
import { type PromptChoice, promptOf, variablesOf } from "./variant-content.ts";

/** A user's place in an experiment. */
export interface Assignment {
  /** Canonical. */
  readonly experimentId: string;
  readonly variant: ConfigVariant;
}

const EXPOSURE_WINDOW_MS = 600_000;
const MAX_EXPOSURES = 10_000;
const REFUSALS = {
  full: "event dropped, the queue is full",
  "too-large": "event dropped, over 1 MiB",
} as const;

/**
 * Assigns users to variants on a polled config and reports events in the background: one per process. Only the
 * constructor throws, and only for want of an API key.
 */
export class CoreClient {
  readonly #settings: ClientSettings;
  readonly #log: ClientLog;
  readonly #poller: ConfigPoller;
  readonly #queue = new EventQueue();
  readonly #sender: Sender;
  readonly #exposures = new ExposureMemory(EXPOSURE_WINDOW_MS, MAX_EXPOSURES);
  readonly #waiting = new Set<Deadline>();
  #closing: Promise<boolean> | null = null;
  /** Assignments that were null for want of a config, since the service last heard of them. */
  #nullsBeforeReady = 0;

  constructor(options: ClientOptions = {}) {
    const settings = resolveOptions(options);
    const { schedule, pollIntervalMs, flushIntervalMs, bootstrap } = settings;
    const log = new ClientLog(settings.log, schedule);
    const shared = { transport: createTransport(settings), schedule, random: Math.random, log };
    const onLoad = (snapshot: ConfigSnapshot) => this.#noteLoaded(snapshot);
    const poller = new ConfigPoller({ ...shared, pollIntervalMs, bootstrap, onLoad });
    const onConfigVersion = (version: number) => poller.noteVersion(version);
    this.#settings = settings;
    this.#log = log;
    this.#poller = poller;
    const takeNullsBeforeReady = () => this.#takeNullsBeforeReady();
    const sending = { flushIntervalMs, takeNullsBeforeReady, onConfigVersion };
    this.#sender = new Sender({ ...shared, ...sending, queue: this.#queue });
    for (const name of settings.unknownOptions) log.once("warn", `unknown option: ${name}`);
    poller.start();
  }

  /**
   * Resolves true once the config with the `experiments` named in the options is loaded, false after `timeoutMs` or
   * when the client is closed first. Never rejects.
   */
  ready(timeoutMs = 5_000): Promise<boolean> {
    if (this.#isReady()) return Promise.resolve(true);
    if (this.#closing !== null) return Promise.resolve(false);
    const deadline = startDeadline(timeoutMs, this.#settings.schedule);
    this.#waiting.add(deadline);
    void deadline.outcome.then(() => this.#waiting.delete(deadline));
    return deadline.outcome;
  }

  /**
   * Returns the key of the user's variant, or null for control behaviour: the config is not loaded, the experiment
   * is unknown or stopped, or the user is not in it. `experiment` is a name or an id. Local, and never throws.
   */
  assign(experiment: string, user: string): string | null {
    return this.#assign(experiment, user)?.key ?? null;
  }

  /**
   * Returns the prompt of the user's variant; `defaultPrompt` with `fallback: true` when the user has no variant or the
   * variant no prompt. Assigns as `assign` does, and never throws.
   */
  getPrompt(experiment: string, user: string, defaultPrompt: string): PromptChoice {
    return promptOf(this.#assign(experiment, user), defaultPrompt);
  }

  /**
   * Returns a new object: `defaults`, with the top-level keys of the variant's variables in place of theirs. Assigns as
   * `assign` does, and never throws.
   */
  getVariables<Variables extends object>(experiment: string, user: string, defaults: Variables): Variables {
    return variablesOf(this.#assign(experiment, user), defaults);
  }

  /** Returns the config in force, to be handed to another client as `bootstrap`; null until one is loaded. */
  configSnapshot(): unknown {
    return this.#poller.snapshot?.body ?? null;
  }

  /** Puts an event into the queue for the next batch. Never throws: an event that cannot be sent is a warning. */
  track(event: EventType, payload: EventPayload): void {
    if (this.#closing !== null) this.#log.once("warn", "track has no effect on a closed client");
    else this.#guard(() => this.#enqueue(event, payload));
  }

  /**
   * Sends everything tracked before the call. Resolves true once the service has answered for all of it; false when
   * some of it was given up, at once while sending is paused (a refused key, a used-up allowance), or after
   * `timeoutMs`. Never rejects.
   */
  flush(timeoutMs = 10_000): Promise<boolean> {
    return this.#sender.flush(timeoutMs);
  }

  /** Stops polling, flushes, and gives up what `timeoutMs` was not enough for. Resolves as `flush` does. */
  close(timeoutMs = 5_000): Promise<boolean> {
    this.#closing ??= this.#shutDown(timeoutMs);
    return this.#closing;
  }

  /** Closes the client at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #shutDown(timeoutMs: number): Promise<boolean> {
    this.#poller.stop();
    for (const deadline of this.#waiting) deadline.settle(false);
    const isDelivered = await this.#sender.flush(timeoutMs);
    this.#sender.stop();
    this.#log.close();
    return isDelivered;
  }

  /** Finds the user's variant and records the exposure. */
  #assign(experiment: string, user: string): ConfigVariant | null {
    const found = this.findAssignment(experiment, user);
    if (found === null) return null;
    const { variant, experimentId } = found;
    if (this.#settings.trackExposures && this.#closing === null) {
      this.#recordExposure({ experiment_id: experimentId, user_id: user, variant: variant.key });
    }
    return variant;
  }

  /** Finds the user's variant without recording anything; null as in `assign`. */
  protected findAssignment(experiment: string, user: string): Assignment | null {
    const { snapshot } = this.#poller;
    if (snapshot === null) {
      this.#nullsBeforeReady++;
      this.#log.count("assigned null, the config is not loaded yet");
      return null;
    }
    const found = snapshot.experiments.get(experiment);
    if (found === undefined) return null;
    if (typeof user !== "string") {
      this.#log.count("assign without effect, the user is not a string");
      return null;
    }
    const variant = findVariant(found, user);
    return variant === null ? null : { experimentId: found.id, variant };
  }

  #takeNullsBeforeReady(): number {
    const count = this.#nullsBeforeReady;
    this.#nullsBeforeReady = 0;
    return count;
  }

  #isReady(): boolean {
    const loaded = this.#poller.snapshot?.experiments;
    return loaded !== undefined && this.#settings.experiments.every((name) => loaded.has(name));
  }

  #noteLoaded({ experiments }: ConfigSnapshot): void {
    for (const name of this.#settings.experiments) {
      if (!experiments.has(name)) this.#log.once("warn", `the config has no experiment ${name}`);
    }
    if (!this.#isReady()) return;
    for (const deadline of this.#waiting) deadline.settle(true);
  }

  #recordExposure(exposure: EventPayload): void {
    // Without the config version: each exposure is billed, and an edit of some other experiment is no new one.
    const key = `${exposure.experiment_id} ${exposure.variant}\0${exposure.user_id}`;
    this.#guard(() => {
      const now = this.#settings.now();
      if (this.#exposures.has(key, now)) return;
      // An exposure that found no room is tried again at the next assign.
      if (this.#enqueue("exposure", exposure)) this.#exposures.add(key, now);
    });
  }

  #enqueue(event: EventType, payload: EventPayload): boolean {
    const outcome = this.#queue.add(toEventRow(event, payload, this.#settings));
    if (outcome === "added") this.#sender.noteAdded();
    else this.#log.count(REFUSALS[outcome]);
    return outcome === "added";
  }

  /** Payloads, clocks and id makers are the caller's and may throw anything; none of it may come back. */
  #guard(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      const reason = error instanceof UnsendableEvent ? error.message : "it cannot be serialised";
      this.#log.count(`event dropped, ${reason}`);
    }
  }
}
