import type { ClientSettings } from "./client-options.ts";
import type { KeptEvent, OfflineStore } from "./offline-store.ts";
import type { Cancel } from "./schedule.ts";

/** How much a client may hold and send at once. */
export interface QueueLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly maxBatchBytes: number;
  /** The longest wait of a client's first event: sending it early warms up what later events need. */
  readonly firstFlushMs: number;
}

/**
 * What a page or process needs from the sender: to keep events for later, and to save or send them at its
 * end.
 */
export interface Outbox {
  readonly store: OfflineStore | null;
  /** Sets the store: the sender keeps events there from now on, and sends the events already there. */
  useStore(store: OfflineStore): void;
  /** The events that the service has not answered for, oldest first. */
  readonly unsent: readonly KeptEvent[];
  /** Sends what is unsent, as the client's `flush` does. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Sends events once, outside the batches, in a request that outlives the page. Resolves at its answer. */
  sendLast(events: readonly KeptEvent[]): Promise<void>;
}

/** Keeps the config beyond the process or page, unless the offline store is off or unavailable here. Never throws. */
export interface KeptFile {
  /** Names the API key, which must not be stored. */
  readonly keyHash: string;
  /** Returns the text of what was saved last; null when there is none. */
  read(): string | null;
  /** Writes the text of a config, later, unless it equals the `known` one. */
  save(config: unknown, known: unknown): void;
}

/** Events that are older than 24 h at `now` are not replayed. */
export type StoreSettings = Pick<ClientSettings, "offlineStore" | "durable" | "apiKey" | "now" | "log">;

/** A kept config belongs to the service at the base address. */
export type KeptSettings = StoreSettings & Pick<ClientSettings, "baseUrl">;

export type HoldSettings = Pick<ClientSettings, "waitUntil" | "schedule" | "log">;

/** `end` ends the client: it aborts requests and sends nothing more. */
export type AttachSettings = StoreSettings & { readonly end: AbortController };

/**
 * What differs between Node, browsers and other runtimes: the exports of the module that `#platform` names
 * for each. Separate exports let a bundle include only what its runtime needs.
 */
export interface Platform {
  /** The defaults of options that only this platform knows. */
  readonly ownOptions: Pick<ClientSettings, "durable" | "longPoll"> | undefined;
  readonly limits: QueueLimits;
  /**
   * Timers do not run between requests, and nothing may be loaded before the first request, so the config
   * loads on use.
   */
  readonly loadsOnUse: boolean;
  /** Sets a timer. It keeps the process alive only if asked to. */
  startTimer(task: () => void, delayMs: number, holdsProcess?: boolean): Cancel;
  /** The global `fetch`, looked up at each call. */
  platformFetch(url: string, init: RequestInit): Promise<Response>;
  /** Returns how many bytes a text has in UTF-8. */
  utf8Length(text: string): number;
  /** Returns an environment variable. */
  environment(name: string): string | undefined;
  /**
   * Makes a function to be called after each tracked event. It makes a serverless platform wait for the
   * sending.
   */
  holdUntilSent(settings: HoldSettings, flush: () => Promise<unknown>): () => void;
  /** Opens the place of the kept config. */
  keepFile(settings: KeptSettings): KeptFile;
  /**
   * Gives the outbox the offline store named in the options, now or later; none if it is off or unavailable
   * here. At the end of the page or process it saves or sends what the outbox holds, until canceled by what it returns, if anything. Throws
   * only when a durable client has no store.
   */
  attach(outbox: Outbox, settings: AttachSettings): Cancel | undefined;
}
