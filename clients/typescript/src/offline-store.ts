/** An event as it is sent and kept: its row on the wire, and what replay and de-duplication need of it. */
export interface KeptEvent {
  readonly eventId: string;
  /** Epoch milliseconds of the event's own timestamp. */
  readonly occurredAt: number;
  /** The serialised event. */
  readonly row: string;
  /** The size of the row in UTF-8. */
  readonly bytes: number;
}

/** Events taken from the store to be sent again; unless forgotten one by one, they stay kept until `release`. */
export interface Replay {
  /** At least one. */
  readonly events: readonly KeptEvent[];
  /** Lets go of the replay: each of its events was delivered, given up, or kept again. */
  release(): unknown;
}

/** Where events wait that could not be delivered: a folder in Node, IndexedDB in a browser. Never throws or rejects. */
export interface OfflineStore {
  /** Keeps events; resolves how many found no room. */
  keep(events: readonly KeptEvent[]): Promise<number>;
  /** Keeps events and puts a replay back before it returns, for a process that ends; returns how many found no room. */
  keepNow?(events: readonly KeptEvent[]): number;
  /** Forgets kept events that were delivered after all. */
  forget(events: readonly KeptEvent[]): Promise<unknown>;
  /** Takes the oldest kept events, at most 24 h old; null when there are none. One replay at a time. */
  takeReplay(): Promise<Replay | null>;
  /** Lets go of what the store holds open. */
  close(): unknown;
}
