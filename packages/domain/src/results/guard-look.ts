/** The state of one signal in one treatment at a guard's look. */
export interface SignalLook {
  readonly signal: string;
  readonly treatment: string;
  /** Null while the arm has no events. For the split: control's share of the exposures of both. */
  readonly controlValue: number | null;
  readonly treatmentValue: number | null;
  /** The largest acceptable harm; null for the split, which has none. */
  readonly acceptable: number | null;
  readonly isRelative: boolean;
  /** Number of events used, in both arms together. */
  readonly events: number;
  /** Evidence of unacceptable harm, as a share of the evidence that holds the experiment: 1 or more is harm. Null: too few events. */
  readonly evidence: number | null;
}

/** A guard's last look at an experiment. */
export interface GuardLook {
  readonly experimentId: string;
  /** Time of the look, and since when events count; epoch milliseconds. */
  readonly at: number;
  readonly from: number;
  readonly signals: readonly SignalLook[];
}
