import type { Json } from "../json.ts";
import type { RunSummary } from "../results/run-summary.ts";

/** A stored run. It is immutable: written once under its experiment, label and cut-off. */
export interface StoredRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly label: string;
  readonly preliminary: boolean;
  /** The run's exclusive cut-off, epoch milliseconds. */
  readonly windowTo: number;
  readonly computedAt: number;
  /** The run as the results route returns it. */
  readonly body: Json;
}

/** A stored run without its body, which is large. */
export interface SummarizedRun extends Omit<StoredRun, "body"> {
  readonly summary: RunSummary;
}

export interface ResultStore {
  /** Stores the run with the summary of its body; false when a run with its label and cut-off already exists. */
  put(run: StoredRun, summary: RunSummary): Promise<boolean>;
  /** The run with a label (of several cut-offs the latest), or the run computed last without a label; null without one. */
  find(orgId: string, experimentId: string, label?: string): Promise<StoredRun | null>;
  /** The last nightly runs with a cut-off before `windowTo`, oldest first; of several runs of a day the latest. */
  listNightlyBefore(
    orgId: string,
    experimentId: string,
    range: { readonly windowTo: number; readonly limit: number },
  ): Promise<readonly StoredRun[]>;
  /** Labels of the stored runs, newest run first. */
  listLabels(orgId: string, experimentId: string): Promise<readonly string[]>;
  /** The same for every experiment of the org with a run, by experiment id. */
  listAllLabels(orgId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The latest computed run of every experiment of the org. */
  listLatest(orgId: string): Promise<readonly StoredRun[]>;
  /** The same, in any order, without the bodies. A run that was stored before summaries existed gets one. */
  listLatestSummaries(orgId: string): Promise<readonly SummarizedRun[]>;
}

export const RUN_OUTCOMES = ["computed", "withheld", "collecting", "failed"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** What the nightly pipeline did for one experiment and day. */
export interface PipelineRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly day: string;
  readonly outcome: RunOutcome | "running";
  readonly windowTo: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly detail: string | null;
}

export interface PipelineRunStore {
  /**
   * Leases the experiment-day to this process until `leaseUntil`; false while another process holds the lease, or when the day is
   * already computed up to `windowTo`. A failed or collecting run, an expired lease and an earlier cut-off can be claimed again.
   */
  claim(run: {
    orgId: string;
    experimentId: string;
    day: string;
    windowTo: number;
    now: number;
    leaseUntil: number;
  }): Promise<boolean>;
  /** Extends the lease of the run that `claim` began at `startedAt`; false when another process has taken it over. */
  renew(run: { experimentId: string; day: string; startedAt: number; leaseUntil: number }): Promise<boolean>;
  /** Ends the run that `claim` began at `startedAt`; does nothing when another process has taken it over. */
  finish(run: {
    experimentId: string;
    day: string;
    startedAt: number;
    outcome: RunOutcome;
    now: number;
    detail: string | null;
  }): Promise<void>;
  find(experimentId: string, day: string): Promise<PipelineRun | null>;
  /** The last `limit` recorded days, newest first. */
  list(orgId: string, experimentId: string, limit: number): Promise<readonly PipelineRun[]>;
  /** The latest day of every experiment of the org with one, in any order. */
  listLatest(orgId: string): Promise<readonly PipelineRun[]>;
}
