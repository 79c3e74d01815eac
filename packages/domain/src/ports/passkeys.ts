/** The person in an org whose passkeys are meant. */
export interface PasskeyOwner {
  readonly orgId: string;
  readonly userId: string;
}

/** A WebAuthn credential of a person. The public key is no secret. */
export interface Passkey extends PasskeyOwner {
  /** The authenticator's id of the credential, base64url. */
  readonly id: string;
  readonly name: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Signatures so far, as the authenticator counts them; 0 when it does not count. */
  readonly counter: number;
  /** How browsers reach it: `usb`, `internal`, … */
  readonly transports: readonly string[];
  /** Whether it is kept beyond one device. */
  readonly isBackedUp: boolean;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Null: not used yet. */
  readonly lastUsedAt: number | null;
}

export interface PasskeyStore {
  /** False when the owner has one of this id already. */
  add(passkey: Passkey): Promise<boolean>;
  /** Oldest first. */
  list(owner: PasskeyOwner): Promise<readonly Passkey[]>;
  /** Records a use unless another one has changed the counter meanwhile; returns whether it did. */
  recordUse(
    passkey: Pick<Passkey, "orgId" | "userId" | "id" | "counter">,
    use: { readonly counter: number; readonly isBackedUp: boolean; readonly at: number },
  ): Promise<boolean>;
  /** Members of the org without a passkey, by email; at most `limit`. */
  listWithout(
    orgId: string,
    limit: number,
  ): Promise<readonly { readonly userId: string; readonly email: string; readonly name: string }[]>;
  /** Null when the owner has none of this id. */
  remove(owner: PasskeyOwner, id: string): Promise<Passkey | null>;
  /** Removes all of the owner's and returns how many there were. */
  removeAll(owner: PasskeyOwner): Promise<number>;
}

/** What a passkey is asked for: to be added, or to show who the person is. */
export type ChallengePurpose = "registration" | "confirmation";

/** Which answer is awaited: a session has one challenge of each purpose, and a new one replaces it. */
export interface ChallengeName {
  readonly sessionId: string;
  readonly purpose: ChallengePurpose;
}

export interface PasskeyChallengeStore {
  /** Stores the challenge and deletes those that have expired by `now`. */
  put(
    name: ChallengeName,
    challenge: { readonly value: string; readonly expiresAt: number },
    now: number,
  ): Promise<void>;
  /** Uses the challenge up; null when there is none, or it has expired. Only one of two callers gets it. */
  take(name: ChallengeName, now: number): Promise<string | null>;
}
