/** A link that shows the report of an experiment to whoever has it, without an account. Instants in epoch milliseconds. */
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
  /** Of an experiment, newest first, expired ones too. */
  list(orgId: string, experimentId: string): Promise<readonly ReportLink[]>;
  /** Of any org: the id is all that a link carries. */
  find(id: string): Promise<ReportLink | null>;
  /** False when there was none. */
  remove(link: Pick<ReportLink, "orgId" | "experimentId" | "id">): Promise<boolean>;
  removeExpired(orgId: string, now: number): Promise<void>;
}
