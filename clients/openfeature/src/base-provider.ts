import {
  type AnyProviderEvent,
  type EvaluationContext,
  type ProviderEventEmitter,
  ProviderFatalError,
  type ProviderMetadata,
  ProviderNotReadyError,
  ServerProviderEvents,
  type TrackingEventDetails,
} from "@openfeature/core";
import type { AssayClient } from "./assay-client.ts";
import { loadedCatalog } from "./catalog.ts";
import { trackOutcome } from "./track-outcome.ts";

const WATCH_INTERVAL_MS = 1_000;

/** What both providers share: the client's lifecycle, events about its config, and tracking. */
export abstract class BaseProvider {
  readonly metadata: ProviderMetadata = { name: "assay" };
  abstract readonly events: ProviderEventEmitter<AnyProviderEvent>;
  protected readonly client: AssayClient;
  #configVersion: number | null = null;
  #stopWatching: (() => void) | null = null;
  #isClosed = false;

  /** The provider takes over the client: `onClose` closes it. */
  constructor(client: AssayClient) {
    this.client = client;
  }

  /**
   * Resolves once a config is loaded. Rejects with PROVIDER_NOT_READY after 5 s; PROVIDER_READY follows if a
   * config is loaded later. Rejects with PROVIDER_FATAL once the client is closed.
   */
  async initialize(): Promise<void> {
    // Also false when an experiment that the client waits for is missing. The other experiments can be evaluated.
    await this.client.ready();
    if (this.#isClosed)
      throw new ProviderFatalError("the client is closed: create a new client and provider");
    this.#configVersion = loadedCatalog(this.client)?.version ?? null;
    this.#watchConfig();
    if (this.#configVersion === null) throw new ProviderNotReadyError("the config is not loaded yet");
  }

  /** Delivers the tracked events and closes the client for good. */
  async onClose(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching?.();
    await this.client.close();
  }

  /** Reports an outcome; see `trackOutcome`. Warns once without a user, because the SDKs hide thrown errors. */
  track(name: string, context: EvaluationContext, details: TrackingEventDetails): void {
    try {
      trackOutcome(this.client, { name, context, details });
    } catch (error) {
      const { warn } = this.client as { readonly warn?: (message: string) => void };
      warn?.call(this.client, `an outcome was not tracked: ${(error as Error).message}`);
    }
  }

  #watchConfig(): void {
    this.#stopWatching?.();
    const timer = setInterval(() => this.#noteConfig(), WATCH_INTERVAL_MS);
    // In a browser, a timer is a number and keeps nothing alive.
    if (typeof timer === "object") timer.unref();
    this.#stopWatching = () => clearInterval(timer);
  }

  #noteConfig(): void {
    const version = loadedCatalog(this.client)?.version ?? null;
    if (version === this.#configVersion) return;
    const { Ready, ConfigurationChanged } = ServerProviderEvents;
    const event = this.#configVersion === null ? Ready : ConfigurationChanged;
    this.#configVersion = version;
    this.events.emit(event);
  }
}
