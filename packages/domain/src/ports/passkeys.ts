/** The owner of passkeys: a person in an org. */
export interface PasskeyOwner {
  readonly orgId: string;
  readonly userId: string;
}

/** A WebAuthn credential of a person. The public key is not secret. */
export interface Passkey extends PasskeyOwner {
  /** The authenticator's id for the credential, base64url. */
  readonly id: string;
  readonly name: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Signature counter of the authenticator; 0 when it does not count. */
  readonly counter: number;
  /** How browsers reach the authenticator: `usb`, `internal`, … */
  readonly transports: readonly string[];
  /** Whether the credential is backed up beyond one device. */
  readonly isBackedUp: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Null when never used. */
  readonly lastUsedAt: number | null;
}

export interface PasskeyStore {
  /** False when the owner already has a passkey with this id. */
  add(passkey: Passkey): Promise<boolean>;
  /** Oldest first. */
  list(owner: PasskeyOwner): Promise<readonly Passkey[]>;
  /**
   * Records a use unless another use changed the counter in the meantime; returns whether it did.
   */
  recordUse(
    passkey: Pick<Passkey, "orgId" | "userId" | "id" | "counter">,
    use: { readonly counter: number; readonly isBackedUp: boolean; readonly at: number },
  ): Promise<boolean>;
  /** Members of the org without a passkey, by email; at most `limit`. */
  listWithout(
    orgId: string,
    limit: number,
  ): Promise<readonly { readonly userId: string; readonly email: string; readonly name: string }[]>;
  /** Null when the owner has no passkey with this id. */
  remove(owner: PasskeyOwner, id: string): Promise<Passkey | null>;
  /** Removes all of the owner's passkeys and returns their number. */
  removeAll(owner: PasskeyOwner): Promise<number>;
}

/** The purpose of a challenge: to add a passkey, or to verify the person. */
export type ChallengePurpose = "registration" | "confirmation";

/** Identifies a challenge: a session has one per purpose, and a new one replaces it. */
export interface ChallengeName {
  readonly sessionId: string;
  readonly purpose: ChallengePurpose;
}

export interface PasskeyChallengeStore {
  /** Stores the challenge and deletes those that have expired at `now`. */
  put(
    name: ChallengeName,
    challenge: { readonly value: string; readonly expiresAt: number },
    now: number,
  ): Promise<void>;
  /**
   * Consumes the challenge; null when there is none, or it has expired. Of two concurrent callers, only one
   * gets it.
   */
  take(name: ChallengeName, now: number): Promise<string | null>;
}
