/** How far a judge agrees with people on the calls that both have scored. */
export interface ArmAgreement {
  /** Labels with a score. */
  readonly labels: number;
  /** Null: too few labels, or all in one category. */
  readonly kappa: number | null;
  /** 95 % interval of kappa. */
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** Labels that say what the judge says. */
  readonly agreeing: number;
  /** Counts by category: rows are what people say, columns what the judge says. */
  readonly matrix: readonly (readonly number[])[];
  /** The judge passes what people fail, of what people fail. */
  readonly falsePasses: { readonly count: number; readonly of: number };
  /** The judge fails what people pass, of what people pass. */
  readonly falseFails: { readonly count: number; readonly of: number };
  /** Over the labelled calls; null: there are none. */
  readonly meanJudgeScore: number | null;
  readonly meanLabel: number | null;
}

/** The agreement over all arms and of each. */
export interface Agreement {
  /** Of the matrices, worst first. */
  readonly categories: readonly string[];
  /** Labels of calls that were shown at random, by arm: those that correct the judge. */
  readonly drawnLabels: Readonly<Record<string, number>>;
  readonly overall: ArmAgreement;
  readonly arms: Readonly<Record<string, ArmAgreement>>;
}
