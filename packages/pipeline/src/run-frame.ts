import type { AllocationPeriod, Experiment, RunLabel } from "@assay/domain";

/** Everything a run depends on besides its data. */
export interface RunFrame {
  readonly experiment: Experiment;
  readonly periods: readonly AllocationPeriod[];
  readonly label: RunLabel;
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  readonly computedAt: number;
}
