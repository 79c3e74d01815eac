import type { HeldToken, ServiceToken } from "../access/service-token.ts";

/** Service tokens, stored as hashes only. */
export interface ServiceTokenStore {
  create(token: ServiceToken): Promise<void>;
  /**
   * Null when the token is unknown or revoked, or its org was deleted. Expired tokens are returned.
   */
  findByHash(hash: string): Promise<HeldToken | null>;
  /** All of the org's tokens, newest first, including expired ones. */
  list(orgId: string): Promise<readonly HeldToken[]>;
  /** Deletes the token and returns it; null when the org has none with this id. */
  revoke(orgId: string, id: string): Promise<ServiceToken | null>;
  /** Records a use, unless another one less than `TOKEN_USE_MS` earlier is recorded. */
  recordUse(token: Pick<ServiceToken, "id" | "orgId">, usedAt: number): Promise<void>;
}
