import type { ClientSettings } from "./client-options.ts";
import type { correctClock } from "./clock-offset.ts";
import type { countRejected } from "./count-rejected.ts";
import type { completeFacts } from "./model-call/complete-facts.ts";
import type { KeptEvent } from "./offline-store.ts";
import type { reportOptions } from "./report-options.ts";
import type { Cancel } from "./schedule.ts";

/** How much a client may hold and send at once. */
export type QueueLimits = readonly [
  maxEvents: number,
  maxBytes: number,
  maxBatchBytes: number,
  /** The longest wait of a client's first event: sending it early warms up what later events need. */
  firstFlushMs: number,
];

/** What a keeper needs of the sender's queue. */
export type SendQueue = readonly [
  life: AbortSignal,
  /** Counts the events that have ever left the queue. */
  settled: () => number,
  /** Removes the older half and returns it. */
  takeHalf: () => readonly KeptEvent[],
  /** Keeps events, with the keeper, and logs the reason. */
  keep: (events: readonly KeptEvent[], reason: string) => Promise<void>,
  /** Queues kept events and sends them; returns how many events were ever queued. */
  resend: (events: readonly KeptEvent[]) => number,
];

/** Keeps the events of a sender for later. Pages load it after their start. */
export interface Keeper {
  /** Events on their way from the full queue to the store. */
  readonly moving: readonly KeptEvent[];
  /** Writes an event that was just queued, if the client is durable. */
  journal(event: KeptEvent): void;
  /** Moves the older half of a full queue to the store in one write, instead of one write per event. */
  makeRoom(): void;
  /** Keeps events; resolves how many found no room. */
  keep(events: readonly KeptEvent[]): Promise<number>;
  /** To be called when events have left the queue: kept, delivered or dropped. */
  noteSettled(events: readonly KeptEvent[], isKept: boolean): void;
  /** To be called when the service is known to answer: the next kept events are then sent, also those that another process may have left. */
  noteReachable(mayHaveEvents?: boolean): void;
  /** Keeps the rest once nothing is on its way any more, and closes the store. */
  close(keepRest: () => Promise<void>): Promise<void>;
}

/**
 * What a page or process needs from the sender: to keep events for later, and to save or send them at its
 * end.
 */
export interface Outbox {
  /** Sets the keeper: the sender keeps events there from now on, and sends the events already there. */
  useKeeper(connect: (queue: SendQueue) => Keeper): void;
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

/** What a page loads after its start, and other runtimes have at once. */
export interface Later {
  readonly completeFacts: typeof completeFacts;
  readonly correctClock: typeof correctClock;
  readonly countRejected: typeof countRejected;
  readonly reportOptions: typeof reportOptions;
}

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
  holdUntilSent(settings: HoldSettings, outbox: Pick<Outbox, "flush">): () => void;
  /** Passes `use` what a page loads after its start: at once if it is loaded. Calls `missing` if it cannot be loaded. */
  later(use: (part: Later) => void, missing?: () => void): void;
  /** Opens the place of the kept config. */
  keepFile(settings: KeptSettings): KeptFile;
  /**
   * Gives the outbox the offline store named in the options, now or later; none if it is off or unavailable
   * here. At the end of the page or process it saves or sends what the outbox holds, until canceled by what it returns, if anything. Throws
   * only when a durable client has no store.
   */
  attach(outbox: Outbox, settings: AttachSettings): Cancel | undefined;
}
