import type { MetricResult } from "./results.ts";

/** A metric's difference between users with the shipped variant and held-back users. */
export type HoldbackRow = Pick<
  MetricResult,
  | "metric"
  | "metricVersion"
  | "desired"
  | "test"
  | "controlValue"
  | "treatmentValue"
  | "effect"
  | "ciLow"
  | "ciHigh"
  | "relativeEffect"
  | "relativeCiLow"
  | "relativeCiHigh"
  | "nPerArm"
>;

/** The analysis of a stretch of a holdback; instants in epoch milliseconds. */
export interface HoldbackWindow {
  readonly from: number;
  readonly to: number;
  /** Users by variant, by their first exposure in this time. */
  readonly users: Readonly<Record<string, number>>;
  /** p-value of the test that the users' split matches the shares. */
  readonly srmP: number;
  /** The split differs from the shares, so that the users cannot be compared: there are no rows. */
  readonly isWithheld: boolean;
  /** One per metric with enough events in both arms. */
  readonly rows: readonly HoldbackRow[];
}

/** `smaller`, `larger`: how the lift changed, by the corrected p-value, in the desired direction. `no-difference`: no change was shown. */
export type LiftVerdict = "smaller" | "larger" | "no-difference";

/** A metric's lift since the shipping compared with its lift in the experiment, both relative to control. */
export interface LiftChange {
  readonly metric: string;
  readonly liftThen: number;
  readonly liftNow: number;
  /** Lift now minus lift then, with its 95% interval. */
  readonly change: number;
  readonly ciLow: number;
  readonly ciHigh: number;
  readonly pValue: number;
  /** Corrected over the metrics. */
  readonly pValueFdr: number;
  /** Null while the holdback lasts: there is one test, at its end. */
  readonly verdict: LiftVerdict | null;
}

/** What an experiment's holdback has shown so far. */
export interface HoldbackReport {
  readonly experimentId: string;
  /** When the variant was shipped, which identifies the holdback. Epoch milliseconds. */
  readonly from: number;
  readonly computedAt: number;
  readonly weeks: readonly HoldbackWindow[];
  /** From the shipping to the end of the last analyzed week. */
  readonly overall: HoldbackWindow;
  /** The night that the overall lifts are compared with: the last one before the shipping, or null. */
  readonly comparedWith: string | null;
  readonly changes: readonly LiftChange[];
}
