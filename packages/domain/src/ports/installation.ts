/** What all processes of an installation share and make up themselves, encrypted with the master key. */
export interface InstallationSecretStore {
  find(name: string): Promise<string | null>;
  /** Keeps the secret unless there is one of the name, and returns the one that is kept: the first of all processes wins. */
  putFirst(secret: {
    readonly name: string;
    readonly sealed: string;
    readonly createdAt: number;
  }): Promise<string>;
}

/** What one process last told of the judge. */
export interface JudgeReport {
  readonly processId: string;
  /** Why the judge gives it no scores, since when; null: it does, or was not asked. */
  readonly fault: { readonly detail: string; readonly since: number } | null;
  /** Scores per minute over the last five minutes. */
  readonly perMinute: number;
  readonly reportedAt: number;
}

/** How the judge does in each process that asks it. */
export interface JudgeReportStore {
  /** Replaces what the process told before; hour-old reports of others are removed. */
  put(report: JudgeReport): Promise<void>;
  /** Reports of an instant or later. */
  listSince(since: number): Promise<readonly JudgeReport[]>;
  remove(processId: string): Promise<void>;
}
