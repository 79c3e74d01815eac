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
  /** The `User-Agent` of the sign-in, cut to what fits; "" when it sent none. */
  readonly userAgent: string;
  /** Proves to the identity provider that the session goes on; null when it gave none. */
  readonly sealedRefreshToken: string | null;
  /** When the provider was last asked whether the session goes on, and when it last said so. */
  readonly askedAt: number;
  readonly confirmedAt: number;
  /** When the person last used a passkey in this session; null: never. */
  readonly verifiedAt: number | null;
}

/** The person whose sessions are meant. */
export type SessionOwner = Pick<StoredSession, "orgId" | "userId">;

/** The sessions of an installation, as their owners see them. `EndedSessionStore` decides which tokens are refused. */
export interface SessionStore {
  /** Stores a session unless it is there already, and forgets those that ended before its start. */
  add(session: StoredSession): Promise<void>;
  find(id: string): Promise<StoredSession | null>;
  /** Those that have not ended by `now`, latest use first. */
  list(owner: SessionOwner, now: number): Promise<readonly StoredSession[]>;
  touch(id: string, now: number): Promise<void>;
  /** Moves `askedAt` from what the caller read to `now`. Only one of several callers gets true: it asks the provider. */
  claimQuestion(id: string, askedAt: number, now: number): Promise<boolean>;
  /** Stores that the provider confirmed the session. */
  confirm(id: string, sealedRefreshToken: string, now: number): Promise<void>;
  /** Stores that the person used a passkey in the session. */
  recordVerification(id: string, now: number): Promise<void>;
  remove(id: string): Promise<void>;
}
