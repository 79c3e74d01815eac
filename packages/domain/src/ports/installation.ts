import type { SealedSecret } from "../access/seal-binding.ts";

/** Secrets that an installation generates and its processes share, encrypted with the master key. */
export interface InstallationSecretStore {
  find(name: string): Promise<string | null>;
  /** Stores the secret unless that name has one, and returns the stored one: the first process wins. */
  putFirst(secret: {
    readonly name: string;
    readonly sealed: string;
    readonly createdAt: number;
  }): Promise<string>;
}

/** The orgs' sealed secrets: API keys and webhook secrets. */
export interface SealStore {
  /** The secrets of all orgs whose sealed text begins with `prefix`. */
  listStartingWith(prefix: string): Promise<readonly SealedSecret[]>;
  /** Replaces the org's sealed text `from`; does nothing when it was replaced meanwhile. */
  replace(orgId: string, change: { readonly from: string; readonly to: string }): Promise<void>;
}

/** The last report of one process on the judge. */
export interface JudgeReport {
  readonly processId: string;
  /** Why the judge returns no scores, and since when; null if it returns scores or was not asked. */
  readonly fault: { readonly detail: string; readonly since: number } | null;
  /** Scores per minute over the last five minutes. */
  readonly perMinute: number;
  readonly reportedAt: number;
}

/** Reports on the judge by the processes that call it. */
export interface JudgeReportStore {
  /** Replaces the process's previous report, and removes reports older than an hour. */
  put(report: JudgeReport): Promise<void>;
  /** Reports at or after `since`. */
  listSince(since: number): Promise<readonly JudgeReport[]>;
  remove(processId: string): Promise<void>;
}
