import type { Direction, MetricRole } from "../experiment/metric.ts";

/** Per-arm histogram over bin edges that all arms share: `counts[i]` lies between `edges[i]` and `edges[i + 1]`. */
export interface Distribution {
  readonly binEdges: readonly number[];
  readonly counts: readonly number[];
}

export type Verdict = "better" | "worse" | "inconclusive";

/** One metric of one treatment against control (spec §2 MetricResult, contract §9). */
export interface MetricResult {
  readonly metric: string;
  readonly metricVersion: number;
  readonly treatment: string;
  readonly control: string;
  readonly role: MetricRole;
  readonly desired: Direction;
  /** The test that ran. */
  readonly test: string;
  readonly statistic: number | null;
  readonly pValue: number;
  readonly pValueFdr: number;
  readonly significant: boolean;
  readonly verdict: Verdict;
  readonly controlValue: number;
  readonly treatmentValue: number;
  /** Treatment minus control, in the metric's unit, with its 95 % interval. */
  readonly effect: number;
  readonly ciLow: number | null;
  readonly ciHigh: number | null;
  readonly relativeEffect: number | null;
  readonly relativeCiLow: number | null;
  readonly relativeCiHigh: number | null;
  readonly ciSeqLow: number | null;
  readonly ciSeqHigh: number | null;
  readonly pValueSeq: number | null;
  /** Smallest effect that this much data detects with 80 % power. */
  readonly mde: number | null;
  readonly nPerArm: Readonly<Record<string, number>>;
  readonly eventsPerArm: Readonly<Record<string, number>>;
  readonly srmP: number;
  readonly permutationsUsed: number;
  readonly sampleCapUsed: number;
  readonly windowDays: number;
  readonly retentionTruncated: boolean;
  readonly preliminary: boolean;
  readonly distribution: Readonly<Record<string, Distribution>>;
}

/** The gate on the traffic split (spec §1.5). */
export interface SrmGate {
  readonly status: "passed" | "halted";
  readonly pValue: number;
  readonly threshold: number;
  readonly observed: Readonly<Record<string, number>>;
  /** Expected share per arm, over all allocation periods. */
  readonly expected: Readonly<Record<string, number>>;
}

/** A remark on a run: something a reader must know before deciding. */
export interface HealthEntry {
  readonly code: string;
  readonly severity: "info" | "warning" | "critical";
  readonly detail: string;
}

/** What a run stores: immutable once written. Instants in epoch milliseconds. */
export interface ExperimentResults {
  readonly experimentId: string;
  readonly version: number;
  readonly computedFor: string;
  readonly preliminary: boolean;
  readonly computedAt: number;
  readonly window: { readonly from: number | null; readonly to: number };
  readonly srm: SrmGate;
  readonly results: Readonly<Record<string, MetricResult>>;
  readonly health: readonly HealthEntry[];
}
