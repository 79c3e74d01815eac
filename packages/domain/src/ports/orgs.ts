export interface Org {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  /** Grows with every change that clients must receive. */
  readonly configVersion: number;
  readonly createdAt: number;
}

/** Existing orgs: one that the identity provider deleted is never returned. */
export interface OrgStore {
  find(orgId: string): Promise<Org | null>;
  /** Newest first. */
  list(): Promise<readonly Org[]>;
  /** Makes other transactions that lock the org wait until this one ends. Throws `org-not-found`. */
  lock(orgId: string): Promise<void>;
  /** Whether the org's people need a passkey in addition to their sign-in link. */
  requiresPasskey(orgId: string): Promise<boolean>;
  putPasskeyRequirement(orgId: string, isRequired: boolean): Promise<void>;
  /** Whether links show the org's reports to people without an account. */
  allowsReportLinks(orgId: string): Promise<boolean>;
  putReportLinksAllowed(orgId: string, isAllowed: boolean): Promise<void>;
  /** Increments the org's config version and returns it. */
  bumpConfigVersion(orgId: string): Promise<number>;
}
