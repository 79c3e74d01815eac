/** An event as it is sent and kept: its row on the wire, and what replay and deduplication need. */
export interface KeptEvent {
  readonly eventId: string;
  /** Epoch milliseconds of the event's own timestamp. */
  readonly occurredAt: number;
  /** The serialized event. */
  readonly row: string;
  /** The size of the row in UTF-8. */
  readonly bytes: number;
}

/**
 * Events taken from the store to be sent again. They stay in the store until `release`, unless `forget` removes them
 * earlier.
 */
export interface Replay {
  /** At least one. */
  readonly events: readonly KeptEvent[];
  /** Ends the replay, once each of its events was delivered, given up, or kept again. */
  release(): unknown;
}

/**
 * Keeps events that could not be delivered: in a folder in Node, in IndexedDB in a browser. Never throws or
 * rejects.
 */
export interface OfflineStore {
  /** Writes an event that was just queued, if the client is durable. */
  journal?(event: KeptEvent): void;
  /** Keeps events. Resolves to the number that found no room. */
  keep(events: readonly KeptEvent[]): Promise<number>;
  /**
   * Keeps events and puts a replay back, synchronously, because the process is ending. Returns the number that found no
   * room.
   */
  keepNow?(events: readonly KeptEvent[]): number;
  /** Deletes kept events that were delivered later, or dropped. */
  forget(events: readonly KeptEvent[]): Promise<unknown>;
  /**
   * Takes the oldest kept events that are at most 24 h old; null when there are none. One replay at a time.
   */
  takeReplay(): Promise<Replay | null>;
  /** Closes the files or the database of the store. */
  close(): unknown;
}
