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

/** Everything that a run depends on except its data. */
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
  /** Price calls without a cost. */
  readonly prices: PriceList;
  /** The judges' scores so far, one entry per metric whose source is a judge. */
  readonly judged: readonly JudgedMetric[];
  /** Earlier nights, oldest first. */
  readonly nights: readonly Night[];
  /** The decision of the last night that has one; null when no night has one. */
  readonly decision: DecisionStatus | null;
  /** Changes of the decision plan, oldest first, including those before the first exposure. */
  readonly planChanges: readonly PlanChange[];
  /** The exclusions when the run began, including those of QA users. */
  readonly exclusions: SeenExclusions;
  /** Time of each QA user's first event, epoch milliseconds; only for users with an event before the cut-off. */
  readonly qaUsersSeen: ReadonlyMap<string, number>;
}

/** The exclusions in force for a run. */
export interface SeenExclusions {
  /** Number of the newest entry, including lifts; 0 when there is none. */
  readonly last: number;
  readonly matches: readonly ExclusionMatch[];
}

/** The scores of a judged metric's calls from before the cut-off. */
export interface JudgedMetric {
  readonly metric: string;
  /** Null when no call of this version of the metric has been drawn. */
  readonly summary: SeriesSummary | null;
  readonly calls: readonly ScoredCall[];
}

export interface VariantEdit {
  readonly variant: string;
  readonly at: number;
}

/** The part of a night that later runs need. */
export interface Night {
  /** Units in the traffic split. */
  readonly units: number;
  /** By key `<metric>::<treatment>`. */
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
