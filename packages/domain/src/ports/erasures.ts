/** A request to remove everything that was received about a user of an org's applications up to an instant. */
export interface Erasure {
  readonly orgId: string;
  /** The user's id in the application. */
  readonly userId: string;
  /** Epoch milliseconds. Whatever arrives later is new data. */
  readonly requestedAt: number;
}

/**
 * Erasures that are not complete yet. Once an erasure is complete, nothing about the user remains
 * here.
 */
export interface ErasureStore {
  /** Stores a request; a later one for the same user replaces it. */
  put(erasure: Erasure): Promise<void>;
  /** The open requests of all orgs, oldest first. */
  list(): Promise<readonly Erasure[]>;
  /** Removes a completed request; false when a later one for the same user has replaced it. */
  remove(erasure: Erasure): Promise<boolean>;
}
