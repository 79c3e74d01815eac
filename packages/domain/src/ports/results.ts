import type { Json } from "../json.ts";
import type { RunSummary } from "../results/run-summary.ts";
import type { Day } from "../time/day.ts";

/** A run to store. Runs are immutable: each is written once under its experiment, label, cut-off and revision. */
export interface NewRun {
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

export interface StoredRun extends NewRun {
  /** 1 for the first computation of a night; running the night again adds 1. */
  readonly revision: number;
  /** How many revisions the run has. */
  readonly revisions: number;
}

/** A stored run without its body, which is large. */
export interface SummarizedRun extends Omit<StoredRun, "body" | "revisions"> {
  readonly summary: RunSummary;
}

/** Which run of an experiment. */
export interface RunChoice {
  /** Absent: the default view. */
  readonly label?: string;
  /** Absent: the newest. */
  readonly revision?: number;
}

/**
 * The **default view** of an experiment is the run with the latest end of its window: the newest night, withheld or
 * not, or a manual run later than any night. When a run was computed does not matter, so a night that is computed late
 * never hides a newer one. Without a given revision, the newest counts.
 */
export interface ResultStore {
  /** Stores revision 1 with the summary of its body; false when a run with its label and cut-off already exists. */
  put(run: NewRun, summary: RunSummary): Promise<boolean>;
  /** Stores the next revision of a stored run and returns its number. Throws when no run has the label and cut-off. */
  putRevision(run: NewRun, summary: RunSummary): Promise<number>;
  /** The chosen run, with the latest cut-off if its label has several; null when there is none. */
  find(orgId: string, experimentId: string, choice?: RunChoice): Promise<StoredRun | null>;
  /** The last nights before `day`, or without `day` the last nights of all, oldest first; of a day's cut-offs, only the latest. */
  listNightlyBefore(
    orgId: string,
    experimentId: string,
    range: { readonly day?: Day; readonly limit: number },
  ): Promise<readonly StoredRun[]>;
  /** Labels of the runs with metric rows, newest window first. */
  listLabels(orgId: string, experimentId: string): Promise<readonly string[]>;
  /** The same for every experiment of the org with such a run, by experiment id. */
  listAllLabels(orgId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The default view of every experiment of the org that has a run. */
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
   * Leases the experiment-day to this process until `leaseUntil`. Returns false while another process has the lease, or if the day is
   * already computed up to `windowTo`. A failed run, an expired lease and an earlier cut-off can be claimed again, and so can a
   * collecting run, unless it ended at `standsSince` or later.
   */
  claim(run: {
    orgId: string;
    experimentId: string;
    day: string;
    windowTo: number;
    now: number;
    leaseUntil: number;
    standsSince?: number;
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
