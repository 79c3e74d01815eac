import { attach, holdUntilSent, limits, loadsOnUse } from "#platform";
import type { ClientLog } from "./client-log.ts";
import type { ClientOptions, ClientSettings } from "./client-options.ts";
import { type ConfigPoller, createConfigPoller } from "./config-poller.ts";
import type { ConfigExperiment, ConfigSnapshot, ConfigVariant } from "./config-snapshot.ts";
import { type EventPayload, type EventType, toEventRow, UnsendableEvent } from "./event-row.ts";
import { createExposureMemory } from "./exposure-memory.ts";
import { isId, textOr } from "./fields.ts";
import { findVariantOf } from "./find-variant-of.ts";
import { openKeptConfig } from "./kept-config.ts";
import type { ExperimentName, KnownVariables, OnlyKnown, VariantKey } from "./known-names.ts";
import type { KeptEvent } from "./offline-store.ts";
import { resolveOptions } from "./resolve-options.ts";
import type { Cancel } from "./schedule.ts";
import { createSender, type FlushReport, type Sender } from "./sender.ts";
import { type Subject, type UnitKind, type Units, userOf } from "./subject.ts";
import { createTransport } from "./transport.ts";
import { type PromptChoice, promptOf, type VariablesChoice, variablesOf } from "./variant-content.ts";
import { createWaiters, type Waiters } from "./waiters.ts";

/** A user's assignment in an experiment. */
export interface Assignment {
  /** The id, also when the experiment was looked up by name. */
  readonly experimentId: string;
  readonly variant: ConfigVariant;
  /** The id of the conversation or run, if the experiment assigns these instead of users. */
  readonly unit: string | undefined;
}

/** The settings, and what several parts of a client share. */
interface Parts extends ClientSettings {
  readonly end: AbortController;
  readonly waiters: Waiters;
  /** Assignments that were null because no config was loaded, since the last report to the service. */
  readonly health: { nulls: number };
}

const EXPOSURE_WINDOW_MS = 600_000;
/** The memory keeps at least the most recent half of these. */
const MAX_EXPOSURES = 20_000;

/**
 * Assigns users to variants from a polled config and reports events in the background. Use one per process. Only the
 * constructor throws: without an API key, or if `durable` is set without a folder.
 */
export class CoreClient {
  protected readonly log: ClientLog;
  /** @internal The event that was queued last. */
  lastRow: KeptEvent | undefined;
  readonly #parts: Parts;
  readonly #poller: ConfigPoller;
  readonly #sender: Sender;
  readonly #detach: Cancel | undefined;
  readonly #noteTracked: () => void;
  readonly #exposures = createExposureMemory(EXPOSURE_WINDOW_MS, MAX_EXPOSURES);
  #closing: Promise<boolean> | null = null;

  constructor(options: ClientOptions = {}) {
    const settings = resolveOptions(options);
    const end = new AbortController();
    const life = end.signal;
    const parts = {
      ...settings,
      kept: openKeptConfig(settings),
      life,
      end,
      health: { nulls: 0 },
      limits,
      random: Math.random,
      transport: createTransport({ ...settings, life }),
      waiters: createWaiters(settings.schedule),
      onLoad: () => this.#noteLoaded(),
      noteVersion: (version: number) => this.#poller.noteVersion(version),
    };
    this.#parts = parts;
    this.log = settings.log;
    this.#poller = createConfigPoller(parts);
    this.#sender = createSender(parts);
    this.#noteTracked = holdUntilSent(settings, this.#sender);
    this.#detach = attach(this.#sender, parts);
    if (!loadsOnUse) this.#poller.wake();
  }

  /**
   * Resolves true once a config with all `experiments` of the options is loaded. Resolves false after `timeoutMs`, or
   * when the client is closed first. Never rejects.
   */
  ready(timeoutMs = 5_000): Promise<boolean> {
    if (loadsOnUse) this.#poller.wake();
    return this.#parts.waiters.wait(
      timeoutMs,
      () => this.#missing()?.length === 0 || (this.#closing && false),
    );
  }

  /**
   * Returns the key of the user's variant, or null for control behavior: no config is loaded, the experiment is unknown
   * or stopped, or the user is not in it. `experiment` is a name or an id. Makes no request and never throws. For an
   * experiment that assigns conversations or runs, pass `{ user, unit }`.
   */
  assign<E extends ExperimentName>(experiment: E, user: string | Subject): VariantKey<E> | null {
    return (this.#assign(experiment, user)?.key ?? null) as VariantKey<E> | null;
  }

  /**
   * Returns the prompt of the user's variant. When there is no variant or it has no prompt, returns `defaultPrompt`
   * with `fallback: true`. Assigns as `assign` does, and never throws.
   */
  getPrompt(experiment: ExperimentName, user: string | Subject, defaultPrompt: string): PromptChoice {
    return promptOf(this.#assign(experiment, user), defaultPrompt);
  }

  /**
   * Returns a new object with your `defaults`, overwritten by the top-level keys of the variant's variables. Ignores a
   * variable whose type (text, number, boolean, list, object) differs from its default's, and logs a warning. Assigns
   * as `assign` does, and never throws.
   */
  getVariables<E extends ExperimentName, Variables extends KnownVariables<E>>(
    experiment: E,
    user: string | Subject,
    defaults: Variables & OnlyKnown<E, Variables>,
  ): Variables {
    return this.getVariablesDetail<E, Variables>(experiment, user, defaults).variables;
  }

  /** Like `getVariables`, but also returns the variant and the names of the variables that have your defaults. */
  getVariablesDetail<E extends ExperimentName, Variables extends KnownVariables<E>>(
    experiment: E,
    user: string | Subject,
    defaults: Variables & OnlyKnown<E, Variables>,
  ): VariablesChoice<Variables> {
    return variablesOf<Variables>(this.#assign(experiment, user), defaults, (name, kind, defaultKind) =>
      this.warn(
        `${experiment}: the variable ${name} is of kind ${kind}, its default of kind ${defaultKind}; the default is used`,
      ),
    );
  }

  /** Returns the current config, for another client's `bootstrap`; null until one is loaded. */
  configSnapshot(): unknown {
    return this.config?.body ?? null;
  }

  /**
   * Queues an event for the next batch. Never throws: an event that cannot be sent is logged as a warning.
   */
  track(event: EventType, payload: EventPayload): void {
    if (this.#parts.end.signal.aborted) this.warn("track after close");
    else this.#guard(() => this.#enqueue(event, payload));
  }

  /**
   * Sends everything tracked before the call. Resolves true once the service has answered for all of it. Resolves false
   * if some of it was lost or kept for later, at once while sending is paused (a refused key, a used-up allowance), or
   * after `timeoutMs`. Never rejects.
   */
  flush(timeoutMs = 10_000): Promise<boolean> {
    return this.#sender.flush(timeoutMs);
  }

  /** Like `flush`, but returns which events the service has refused since the last report. */
  flushReport(timeoutMs = 10_000): Promise<FlushReport> {
    return this.#sender.flushReport(timeoutMs);
  }

  /** Stops polling and flushes. Gives up events that could not be sent within `timeoutMs`. Resolves as `flush` does. */
  close(timeoutMs = 5_000): Promise<boolean> {
    this.#closing ??= this.#shutDown(timeoutMs);
    this.#parts.waiters.check();
    return this.#closing;
  }

  /** Closes the client at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #shutDown(timeoutMs: number): Promise<boolean> {
    const isDelivered = await this.#sender.flush(timeoutMs);
    this.#parts.end.abort();
    this.#poller.stop();
    await this.#sender.giveUp();
    this.#detach?.();
    this.log.close();
    return isDelivered;
  }

  /** Finds the user's variant and records the exposure. */
  #assign(experiment: string, subject: string | Subject): ConfigVariant | null {
    const found = this.findAssignment(experiment, subject);
    if (!found) return null;
    if (this.#parts.trackExposures && !this.#closing) this.#recordExposure(found, userOf(subject));
    return found.variant;
  }

  /** Finds the user's variant without recording an exposure; null as in `assign`. */
  findAssignment(experiment: string, subject: string | Subject): Assignment | null {
    if (loadsOnUse) this.#poller.wake();
    const snapshot = this.config;
    if (!snapshot) {
      this.#parts.health.nulls++;
      this.log.count("assigned null, config not loaded");
      return null;
    }
    const found = snapshot.experiments.get(experiment);
    if (!found) {
      // A client without any config has version 0.
      if (snapshot.version) this.#warnMissing(experiment);
      return null;
    }
    const user = userOf(subject);
    if (!isId(user)) {
      this.log.count("assigned null, user not 1-256 long");
      return null;
    }
    const { id: experimentId, name, unit: kind } = found;
    const unit = kind && (this.unitOf(kind, subject as Subject) as string);
    if (kind && !isId(unit)) {
      this.warn(`${name} assigns by ${kind}: pass {user, unit}`);
      return null;
    }
    const variant = this.variantOf(found, user, unit);
    return variant && { experimentId, variant, unit };
  }

  /** @internal The current config. Null until one is loaded. */
  protected get config(): ConfigSnapshot | null {
    return this.#poller.snapshot;
  }

  /** The experiments that `ready` waits for and the config lacks. Null without a config. */
  #missing(): readonly string[] | null {
    const loaded = this.config?.experiments;
    return loaded ? this.#parts.experiments.filter((name) => !loaded.has(name)) : null;
  }

  #noteLoaded(): void {
    this.#missing()?.forEach(this.#warnMissing, this);
    this.#parts.waiters.check();
    this.#sender.noteReachable();
  }

  #warnMissing(experiment: unknown): void {
    // The name may come from the application's data.
    this.warn(`config has no experiment ${textOr(experiment, typeof experiment).slice(0, 300)}`);
  }

  #recordExposure({ experimentId, variant: { arm, key, shipped }, unit }: Assignment, user: string): void {
    this.#guard(() => {
      const now = this.#parts.now();
      // Does not depend on the config version, because each exposure is billed: editing another experiment makes no new one.
      if (shipped || this.#exposures.has(arm, unit ?? user, now)) return;
      const exposure = { experiment_id: experimentId, user_id: user, unit_id: unit, variant: key };
      // If the exposure did not fit into the queue, the next assign tries again.
      if (this.#enqueue("exposure", exposure)) this.#exposures.add(arm, unit ?? user, now);
    });
  }

  #enqueue(event: EventType, payload: EventPayload): boolean {
    const row = this.rowOf(event, payload);
    const isAdded = this.#sender.add(row);
    if (isAdded) {
      this.lastRow = row;
      this.#noteTracked();
    }
    return isAdded;
  }

  /** @internal Logs the message once. */
  warn(message: string): void {
    this.log.sayOnce("warn", message);
  }

  /** @internal Finds the variant of a user, or of the user's unit, in an experiment. */
  protected variantOf(experiment: ConfigExperiment, user: string, unit?: string): ConfigVariant | null {
    return findVariantOf(experiment, user, unit);
  }

  /** @internal Finds the id of a subject's unit of this kind. The value is unchecked. */
  unitOf(kind: UnitKind | "user", subject: Partial<Subject> & Units): unknown {
    return subject.unit ?? subject[kind];
  }

  /** @internal Makes an event's row; throws when it cannot be sent. */
  protected rowOf(event: EventType, payload: EventPayload): KeptEvent {
    return toEventRow(event, payload, this.#parts);
  }

  /** Payloads, clocks and id makers are the caller's code and may throw. The error must never reach the caller. */
  #guard(work: () => unknown): void {
    try {
      work();
    } catch (error) {
      const reason = error instanceof UnsendableEvent ? error.message : "not JSON";
      this.log.count(`event dropped, ${reason}`);
    }
  }
}
