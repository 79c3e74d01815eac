/** A request to remove everything of a user of an org's applications that was received up to an instant. */
export interface Erasure {
  readonly orgId: string;
  /** The application's own id of the user. */
  readonly userId: string;
  /** Epoch milliseconds: what is received later is new data. */
  readonly requestedAt: number;
}

/** The erasures that are not complete yet. Nothing about a user stays here afterwards. */
export interface ErasureStore {
  /** Stores a request; of several for one user the latest counts. */
  put(erasure: Erasure): Promise<void>;
  /** The open requests of all orgs, oldest first. */
  list(): Promise<readonly Erasure[]>;
  /** Removes a completed request; false when a later one for the same user has taken its place. */
  remove(erasure: Erasure): Promise<boolean>;
}
