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
  /** The longest wait of a client's first event. Sending it early warms up what later events need. */
  firstFlushMs: number,
];

/** The parts of the sender's queue that a keeper needs. */
export type SendQueue = readonly [
  life: AbortSignal,
  /** Counts the events that have ever left the queue. */
  settled: () => number,
  /** Removes the older half and returns it. */
  takeHalf: () => readonly KeptEvent[],
  /** Keeps events with the keeper, and logs the reason. */
  keep: (events: readonly KeptEvent[], reason: string) => Promise<void>,
  /** Queues kept events and sends them; returns how many events were ever queued. */
  resend: (events: readonly KeptEvent[]) => number,
];

/** Keeps the events of a sender for later. Pages load it after their start. */
export interface Keeper {
  /** Events that are moving from the full queue to the store. */
  readonly moving: readonly KeptEvent[];
  /** Writes an event that was just queued, if the client is durable. */
  journal(event: KeptEvent): void;
  /** Moves the older half of a full queue to the store in one write, instead of one write per event. */
  makeRoom(): void;
  /** Keeps events. Resolves to the number that found no room. */
  keep(events: readonly KeptEvent[]): Promise<number>;
  /** Call this when events have left the queue because they were kept, delivered or dropped. */
  noteSettled(events: readonly KeptEvent[], isKept: boolean): void;
  /** Call this when the service is known to answer. It sends the next kept events, also those of other processes. */
  noteReachable(mayHaveEvents?: boolean): void;
  /** Keeps the rest once no event is on its way any more, then closes the store. */
  close(keepRest: () => Promise<void>): Promise<void>;
}

/**
 * What a page or process needs from the sender: to keep events for later, and to save or send them at its
 * end.
 */
export interface Outbox {
  /** Sets the keeper. From now on the sender keeps events there, and sends the events already there. */
  useKeeper(connect: (queue: SendQueue) => Keeper): void;
  /** The events that the service has not answered for, oldest first. */
  readonly unsent: readonly KeptEvent[];
  /** Sends what is unsent, as the client's `flush` does. */
  flush(timeoutMs: number): Promise<boolean>;
  /** Sends events once, outside the batches, in a request that outlives the page. Resolves when it is answered. */
  sendLast(events: readonly KeptEvent[]): Promise<void>;
}

/** Keeps the config beyond the process or page, unless the offline store is off or unavailable here. Never throws. */
export interface KeptFile {
  /** Names the API key, which must not be stored. */
  readonly keyHash: string;
  /** Returns the text that was saved last. Null when there is none. */
  read(): string | null;
  /** Writes a config as text, later, unless it equals the `known` one. */
  save(config: unknown, known: unknown): void;
}

/** Events that are older than 24 h at `now` are not replayed. */
export type StoreSettings = Pick<ClientSettings, "offlineStore" | "durable" | "apiKey" | "now" | "log">;

/** A kept config belongs to the service at the base address. */
export type KeptSettings = StoreSettings & Pick<ClientSettings, "baseUrl">;

export type HoldSettings = Pick<ClientSettings, "waitUntil" | "schedule" | "log">;

/** Aborting `end` ends the client: it aborts requests and sends nothing more. */
export type AttachSettings = StoreSettings & { readonly end: AbortController };

/** What a page loads after its start. Other runtimes have it at once. */
export interface Later {
  readonly completeFacts: typeof completeFacts;
  readonly correctClock: typeof correctClock;
  readonly countRejected: typeof countRejected;
  readonly reportOptions: typeof reportOptions;
}

/**
 * What differs between Node, browsers and other runtimes: the exports of the module that `#platform` names for each.
 * They are separate exports so that a bundle includes only what its runtime needs.
 */
export interface Platform {
  /** The defaults of options that only this platform knows. */
  readonly ownOptions: Pick<ClientSettings, "durable" | "longPoll"> | undefined;
  readonly limits: QueueLimits;
  /**
   * True where timers do not run between requests and nothing may be loaded before the first request. The config is
   * then loaded on use.
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
   * Makes a function to call after each tracked event. It makes a serverless platform wait until the events are sent.
   */
  holdUntilSent(settings: HoldSettings, outbox: Pick<Outbox, "flush">): () => void;
  /** Passes to `use` what a page loads after its start, at once if it is already loaded. Calls `missing` if it cannot be loaded. */
  later(use: (part: Later) => void, missing?: () => void): void;
  /** Opens the file or storage of the kept config. */
  keepFile(settings: KeptSettings): KeptFile;
  /**
   * Gives the outbox the offline store named in the options, now or later, or none if it is off or unavailable here. At
   * the end of the page or process, saves or sends the outbox's events, unless the returned function, if any, was
   * called. Throws only if a durable client has no store.
   */
  attach(outbox: Outbox, settings: AttachSettings): Cancel | undefined;
}
