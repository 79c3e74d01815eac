/** How far a judge agrees with people on the calls that both scored. */
export interface ArmAgreement {
  /** Number of labels with a score. */
  readonly labels: number;
  /** Null when there are too few labels, or all are in one category. */
  readonly kappa: number | null;
  /** 95% interval of kappa. */
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** Number of labels that agree with the judge. */
  readonly agreeing: number;
  /**
   * Counts by category: a row per category that people chose, a column per category that the judge
   * chose.
   */
  readonly matrix: readonly (readonly number[])[];
  /** Calls that the judge passes and people fail, out of all that people fail. */
  readonly falsePasses: { readonly count: number; readonly of: number };
  /** Calls that the judge fails and people pass, out of all that people pass. */
  readonly falseFails: { readonly count: number; readonly of: number };
  /** Over the labeled calls; null when there are none. */
  readonly meanJudgeScore: number | null;
  readonly meanLabel: number | null;
}

/** The agreement over all arms, and per arm. */
export interface Agreement {
  /** Categories of the matrices, worst first. */
  readonly categories: readonly string[];
  /** Labels of randomly drawn calls, by arm: these correct the judge. */
  readonly drawnLabels: Readonly<Record<string, number>>;
  readonly overall: ArmAgreement;
  readonly arms: Readonly<Record<string, ArmAgreement>>;
}
