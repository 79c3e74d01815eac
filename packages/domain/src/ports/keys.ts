export const KEY_SCOPES = ["publishable", "secret"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface StoredKey {
  readonly orgId: string;
  readonly scope: KeyScope;
  /** SHA-256 of the raw key, hex: the look-up. */
  readonly hash: string;
  /** The raw key, encrypted with the master key; null for a key from before raw-key storage. */
  readonly sealed: string | null;
  readonly createdAt: number;
}

/** A key in the list of an org's keys. */
export interface ListedKey extends StoredKey {
  /** Null: not used since it was made, or since this is kept. */
  readonly lastUsedAt: number | null;
}

/** When a key was used. */
export interface KeyUse extends Pick<StoredKey, "orgId" | "scope" | "hash"> {
  readonly usedAt: number;
}

export interface KeyStore {
  /** Stores the key, removes the scope's previous one and raises the epoch. */
  rotate(key: StoredKey): Promise<void>;
  /** Null when the key is unknown, or its org was deleted. */
  findByHash(hash: string): Promise<StoredKey | null>;
  /** Rises whenever a key stops being valid, in whichever process and org: what was read before must be read again. */
  getEpoch(): Promise<number>;
  find(orgId: string, scope: KeyScope): Promise<StoredKey | null>;
  list(orgId: string): Promise<readonly ListedKey[]>;
  /** Keeps when keys were last used. A use before the one that is kept changes nothing, nor does that of a key that is no more. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

export interface WebhookSecret {
  readonly orgId: string;
  /** The secret, encrypted with the master key. */
  readonly sealed: string;
  readonly createdAt: number;
}

/** The secret with which an org signs its business events; one at a time. */
export interface WebhookSecretStore {
  /** Stores the secret in place of the previous one. */
  rotate(secret: WebhookSecret): Promise<void>;
  find(orgId: string): Promise<WebhookSecret | null>;
}
