export interface Org {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  /** Grows with every change that clients must hear of. */
  readonly configVersion: number;
  readonly createdAt: number;
}

/** The orgs that exist; one that the identity provider deleted is in none of these answers. */
export interface OrgStore {
  find(orgId: string): Promise<Org | null>;
  /** Newest first. */
  list(): Promise<readonly Org[]>;
  /** Makes every other transaction that locks the org wait for this one's end. Throws `org-not-found`. */
  lock(orgId: string): Promise<void>;
  /** Raises the org's config version by one and returns it. */
  bumpConfigVersion(orgId: string): Promise<number>;
}
