/** What a guard saw of one signal in one treatment. */
export interface SignalLook {
  readonly signal: string;
  readonly treatment: string;
  /** Null while the arm has no events. For the split: control's share of the exposures of both. */
  readonly controlValue: number | null;
  readonly treatmentValue: number | null;
  /** The largest acceptable harm; null for the split, which has none. */
  readonly acceptable: number | null;
  readonly isRelative: boolean;
  /** Events of both arms that it rests on. */
  readonly events: number;
  /** Evidence of more harm than is acceptable, as a share of what holds the experiment: 1 or more is harm. Null: too few events. */
  readonly evidence: number | null;
}

/** What a guard saw of an experiment at its last look. */
export interface GuardLook {
  readonly experimentId: string;
  /** Epoch milliseconds, as `from`: events that occurred earlier do not count. */
  readonly at: number;
  readonly from: number;
  readonly signals: readonly SignalLook[];
}
