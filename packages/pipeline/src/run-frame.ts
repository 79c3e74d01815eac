import type {
  AllocationPeriod,
  AnalysisLimits,
  DecisionStatus,
  ExclusionMatch,
  Experiment,
  PlanChange,
  PriceList,
  RunLabel,
  ScoredCall,
  SeriesSummary,
} from "@assay/domain";

/** Everything a run depends on besides its data. */
export interface RunFrame {
  readonly experiment: Experiment;
  readonly periods: readonly AllocationPeriod[];
  /** When a variant's prompt, variables or availability changed while users had it, epoch milliseconds. */
  readonly variantEdits: readonly VariantEdit[];
  readonly label: RunLabel;
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  readonly computedAt: number;
  readonly limits: AnalysisLimits;
  readonly codeVersion: string;
  /** Price the calls that carry no cost. */
  readonly prices: PriceList;
  /** What judges say so far, one entry per metric whose source is a judge. */
  readonly judged: readonly JudgedMetric[];
  /** Earlier nights, oldest first. */
  readonly nights: readonly Night[];
  /** Of the last night that has one; null: no night has. */
  readonly decision: DecisionStatus | null;
  /** Changes of the decision plan, oldest first, those before the first exposure too. */
  readonly planChanges: readonly PlanChange[];
  /** What was set aside when the run began, QA users too. */
  readonly exclusions: SeenExclusions;
  /** When the first event of each QA user occurred, epoch milliseconds; of those who have one before the cut-off. */
  readonly qaUsersSeen: ReadonlyMap<string, number>;
}

/** The exclusions in force as a run sees them. */
export interface SeenExclusions {
  /** Number of the newest entry, lifts included; 0: there is none. */
  readonly last: number;
  readonly matches: readonly ExclusionMatch[];
}

/** The scores of a judged metric's calls that occurred before the cut-off. */
export interface JudgedMetric {
  readonly metric: string;
  /** Null: no call of this version of the metric was drawn yet. */
  readonly summary: SeriesSummary | null;
  readonly calls: readonly ScoredCall[];
}

export interface VariantEdit {
  readonly variant: string;
  readonly at: number;
}

/** What a later run needs of a night's rows, by their keys `<metric>::<treatment>`. */
export interface Night {
  readonly rows: Readonly<Record<string, NightRow>>;
}

export interface NightRow {
  readonly metricVersion: number;
  readonly users: number;
  readonly standardError: number | null;
  readonly pValueSeq: number | null;
  /** Whether people's labels corrected the row. */
  readonly isCalibrated: boolean;
}
