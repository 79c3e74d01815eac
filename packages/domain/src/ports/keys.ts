export const KEY_SCOPES = ["publishable", "secret"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface StoredKey {
  readonly orgId: string;
  readonly scope: KeyScope;
  /** SHA-256 of the raw key in hex, for look-up. */
  readonly hash: string;
  /** The raw key, encrypted with the master key; null for keys older than raw-key storage. */
  readonly sealed: string | null;
  readonly createdAt: number;
  /** Origins of the pages that may use the key; null: any. A replacement key keeps them. */
  readonly allowedOrigins: readonly string[] | null;
}

/** A key with its last use. */
export interface ListedKey extends StoredKey {
  /** Null if no use is recorded. */
  readonly lastUsedAt: number | null;
  /** The last use by a web page: a request with an `Origin` header. Null as above. */
  readonly lastBrowserUseAt: number | null;
}

/** When a key was used. */
export interface KeyUse extends Pick<StoredKey, "orgId" | "scope" | "hash"> {
  readonly usedAt: number;
  /** The last of these uses by a web page, or null. */
  readonly browserUseAt: number | null;
}

export interface KeyStore {
  /** Replaces the scope's key, keeps its allowed origins, and increments the epoch. */
  rotate(key: Omit<StoredKey, "allowedOrigins">): Promise<void>;
  /** Sets the allowed origins of the org's publishable key, which must exist, and increments the epoch. */
  putAllowedOrigins(orgId: string, origins: StoredKey["allowedOrigins"]): Promise<void>;
  /** Null when the key is unknown or its org was deleted. */
  findByHash(hash: string): Promise<StoredKey | null>;
  /** The key epoch. It grows whenever any process invalidates or changes a key of any org; cached keys must then be read again. */
  getEpoch(): Promise<number>;
  find(orgId: string, scope: KeyScope): Promise<StoredKey | null>;
  list(orgId: string): Promise<readonly ListedKey[]>;
  /** Records when keys were last used. Uses older than the recorded one, or of replaced keys, change nothing. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

export interface WebhookSecret {
  readonly orgId: string;
  /** The secret, encrypted with the master key. */
  readonly sealed: string;
  readonly createdAt: number;
}

/** The secret with which an org signs its business events: one per org. */
export interface WebhookSecretStore {
  /** Stores the secret in place of the previous one. */
  rotate(secret: WebhookSecret): Promise<void>;
  find(orgId: string): Promise<WebhookSecret | null>;
}
