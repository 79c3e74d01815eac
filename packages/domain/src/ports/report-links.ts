/**
 * A link that shows an experiment's report without an account, to everybody who has the link. Instants in epoch
 * milliseconds.
 */
export interface ReportLink {
  readonly orgId: string;
  readonly experimentId: string;
  readonly id: string;
  readonly createdBy: string;
  /** The email address if no name is known. */
  readonly createdByName: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Stores links to reports. */
export interface ReportLinkStore {
  put(link: ReportLink): Promise<void>;
  /** The experiment's links, newest first, including expired ones. */
  list(orgId: string, experimentId: string): Promise<readonly ReportLink[]>;
  /** Looks in all orgs, because a link carries only its id. */
  find(id: string): Promise<ReportLink | null>;
  /** False when there was no such link. */
  remove(link: Pick<ReportLink, "orgId" | "experimentId" | "id">): Promise<boolean>;
  removeExpired(orgId: string, now: number): Promise<void>;
}
