/** A session that this installation signed. */
export interface StoredSession {
  readonly id: string;
  /** Null for a platform owner who belongs to no org. */
  readonly orgId: string | null;
  readonly userId: string;
  /** Times are epoch milliseconds. */
  readonly startedAt: number;
  readonly lastUsedAt: number;
  readonly endsAt: number;
  /** The `User-Agent` of the sign-in, shortened if needed; "" when it sent none. */
  readonly userAgent: string;
  /**
   * Lets the identity provider confirm that the session is still valid; null when the provider gave
   * none.
   */
  readonly sealedRefreshToken: string | null;
  /** When the provider was last asked about the session, and when it last confirmed it. */
  readonly askedAt: number;
  readonly confirmedAt: number;
  /** When the person last used a passkey in this session; null when never. */
  readonly verifiedAt: number | null;
}

/** The person who owns the sessions. */
export type SessionOwner = Pick<StoredSession, "orgId" | "userId">;

/** The sessions of an installation, for their owners. `EndedSessionStore` decides which tokens are refused. */
export interface SessionStore {
  /** Stores a session unless it exists, and deletes those that ended before its start. */
  add(session: StoredSession): Promise<void>;
  find(id: string): Promise<StoredSession | null>;
  /** Sessions that have not ended at `now`, latest use first. */
  list(owner: SessionOwner, now: number): Promise<readonly StoredSession[]>;
  touch(id: string, now: number): Promise<void>;
  /**
   * Sets `askedAt` to `now` if it still has the value that the caller read. Of several callers only one gets true and
   * asks the provider.
   */
  claimQuestion(id: string, askedAt: number, now: number): Promise<boolean>;
  /** Records that the provider confirmed the session. */
  confirm(id: string, sealedRefreshToken: string, now: number): Promise<void>;
  /** Records that the person used a passkey in the session. */
  recordVerification(id: string, now: number): Promise<void>;
  remove(id: string): Promise<void>;
}
