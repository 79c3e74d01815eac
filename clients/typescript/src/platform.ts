import type { ClientSettings } from "./client-options.ts";
import type { KeptEvent, OfflineStore } from "./offline-store.ts";
import type { Cancel } from "./schedule.ts";

/** How much a client may hold and send at once. */
export interface QueueLimits {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly maxBatchBytes: number;
  /** The first event of a client leaves after at most so long, to warm what later ones need. */
  readonly firstFlushMs: number;
}

/** What a page or process needs of the sender: to keep events for later, and to serve them at its end. */
export interface Outbox {
  readonly store: OfflineStore | null;
  /** Lets it keep events there from now on, and send what is there already. */
  useStore(store: OfflineStore): void;
  /** The events that the service has not answered for, oldest first. */
  readonly unsent: readonly KeptEvent[];
  /** Sends what is unsent, as the client's `flush` does. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Sends events besides the batches, once, in a request that outlives the page; ends with its answer. */
  sendLast(events: readonly KeptEvent[]): Promise<void>;
}

/** By `now`, events older than 24 h are not replayed. */
export type StoreSettings = Pick<ClientSettings, "offlineStore" | "apiKey" | "now" | "log">;

export type HoldSettings = Pick<ClientSettings, "waitUntil" | "schedule" | "log">;

/** `end` ends the client's life: it breaks off requests, and sends nothing more. */
export type AttachSettings = StoreSettings & { readonly end: AbortController };

/**
 * What differs between Node, browsers and other runtimes: the exports of the module that `#platform` names for each,
 * by themselves, so that a bundle takes only what they come to there.
 */
export interface Platform {
  readonly limits: QueueLimits;
  /** Timers do not run between requests, and nothing may be loaded before the first: the config loads on use. */
  readonly loadsOnUse: boolean;
  /** Sets a timer, which keeps a process alive only if it is to. */
  startTimer(task: () => void, delayMs: number, holdsProcess?: boolean): Cancel;
  /** Returns how many bytes a text has in UTF-8. */
  utf8Length(text: string): number;
  /** Returns an environment variable. */
  environment(name: string): string | undefined;
  /** Makes a function to be called after each tracked event, which sees to it that a serverless platform waits. */
  holdUntilSent(settings: HoldSettings, flush: () => Promise<unknown>): () => void;
  /**
   * Gives the outbox the offline store that the options name, now or later, unless it is off or there is none, and serves
   * the outbox at the end of the page or process, until cancelled. Never throws.
   */
  attach(outbox: Outbox, settings: AttachSettings): Cancel;
}
