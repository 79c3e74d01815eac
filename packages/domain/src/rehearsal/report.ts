/** What a row of a rehearsal compares. `preference` exists only in mode `pairwise`, `score` only in mode `score`. */
export const REHEARSAL_METRICS = [
  "preference",
  "score",
  "error",
  "latency_ms",
  "cost_usd",
  "output_tokens",
  "length",
] as const;
export type RehearsalMetric = (typeof REHEARSAL_METRICS)[number];

/** One metric of a treatment against control, over the inputs that both answered in every repeat. */
export interface RehearsalRow {
  readonly metric: RehearsalMetric;
  readonly treatment: string;
  readonly inputs: number;
  /** Number of users who own these inputs. */
  readonly clusters: number;
  /** Means over inputs; null for `preference`, which has only an effect. */
  readonly controlValue: number | null;
  readonly treatmentValue: number | null;
  /** Weighted mean of the paired differences. This and the following fields are null without data. */
  readonly effect: number | null;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  /** An always-valid interval: a rehearsal may stop because of it at any look. */
  readonly alwaysValidLow: number | null;
  readonly alwaysValidHigh: number | null;
  readonly pValue: number | null;
  /** Adjusted over the rows of the report (Benjamini-Hochberg); significant below alpha. */
  readonly adjustedPValue: number | null;
  readonly isSignificant: boolean;
  /** People's picks in these pairs. */
  readonly picks: number;
  /** Whether the picks correct the judge (PPI++). */
  readonly isCorrected: boolean;
}

/** A rehearsal's finding on a treatment, as stored for the ledger. */
export type RehearsedRow = Pick<
  RehearsalRow,
  "metric" | "treatment" | "controlValue" | "effect" | "ciLow" | "ciHigh"
>;

/**
 * `not-worse`: the quality's interval excludes a loss larger than the margin. `worse`: the interval is below 0, does not exclude such a
 * loss, and p is at most .05 / treatments. `undecided`: neither. `invalid`: a fault in the measurement allows no verdict.
 */
export const REHEARSAL_VERDICTS = ["not-worse", "worse", "undecided", "invalid"] as const;
export type RehearsalVerdict = (typeof REHEARSAL_VERDICTS)[number];

export const REHEARSAL_FAULTS = [
  "no-data",
  "too-few-inputs",
  "too-many-failures",
  "judge-inconsistent",
  "judge-failed",
] as const;
export type RehearsalFault = (typeof REHEARSAL_FAULTS)[number];

export interface ArmVerdict {
  readonly treatment: string;
  readonly verdict: RehearsalVerdict;
  /** Only for `invalid`. */
  readonly fault: RehearsalFault | null;
  /** Not worse, and significantly cheaper. */
  readonly isCheaper: boolean;
  /** One or two sentences: the finding, and what to do about it. */
  readonly detail: string;
}

/** How much more often the judge prefers the answer that it sees first: 0 without a bias, 1 if it always does. */
export interface OrderBias {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** Share of pairs whose two judgements contradict each other; they count as ties. */
  readonly inconsistentShare: number;
}

export interface RehearsalReport {
  readonly verdicts: readonly ArmVerdict[];
  readonly rows: readonly RehearsalRow[];
  /** Null in mode `score`, and until pairs of at least two users were judged in both orders. */
  readonly orderBias: OrderBias | null;
  /** Whether every treatment's quality is decided by its always-valid interval, so that more answers would only cost money. */
  readonly isEnough: boolean;
}
