import type { Json } from "../json.ts";
import type { RunSummary } from "../results/run-summary.ts";

/** A stored run. Immutable: written once under its experiment, label and cut-off. */
export interface StoredRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly label: string;
  readonly preliminary: boolean;
  /** The run's exclusive cut-off, epoch milliseconds. */
  readonly windowTo: number;
  readonly computedAt: number;
  /** The run as the results route answers it. */
  readonly body: Json;
}

/** A stored run without its body, which is large. */
export interface SummarizedRun extends Omit<StoredRun, "body"> {
  readonly summary: RunSummary;
}

export interface ResultStore {
  /** Writes the run and, beside it, the summary of its body; false when its label and cut-off are stored already. */
  put(run: StoredRun, summary: RunSummary): Promise<boolean>;
  /** The run under a label (of several cut-offs the latest), or the run computed last when no label is given; null when there is none. */
  find(orgId: string, experimentId: string, label?: string): Promise<StoredRun | null>;
  /** The last nightly runs whose cut-off lies before `windowTo`, oldest first; of several runs of a day the latest. */
  listNightlyBefore(
    orgId: string,
    experimentId: string,
    range: { readonly windowTo: number; readonly limit: number },
  ): Promise<readonly StoredRun[]>;
  /** Every label that has a stored run, newest run first. */
  listLabels(orgId: string, experimentId: string): Promise<readonly string[]>;
  /** The same of every experiment of the org that has a run, by experiment. */
  listAllLabels(orgId: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** The run computed last of every experiment of the org. */
  listLatest(orgId: string): Promise<readonly StoredRun[]>;
  /** The same, in any order, without the bodies. A run that was stored before summaries were kept gets one. */
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
  /** Takes the experiment-day for this process until `leaseUntil`; false while another process holds it or when it is done up to `windowTo`. A failed or collecting run, an expired lease or an earlier cut-off can be taken again. */
  claim(run: {
    orgId: string;
    experimentId: string;
    day: string;
    windowTo: number;
    now: number;
    leaseUntil: number;
  }): Promise<boolean>;
  /** Moves the end of the lease of a run that `claim` began at `startedAt`; false when another process has taken it over. */
  renew(run: { experimentId: string; day: string; startedAt: number; leaseUntil: number }): Promise<boolean>;
  /** Ends the run that `claim` began at `startedAt`; nothing happens when another process has taken it over since. */
  finish(run: {
    experimentId: string;
    day: string;
    startedAt: number;
    outcome: RunOutcome;
    now: number;
    detail: string | null;
  }): Promise<void>;
  find(experimentId: string, day: string): Promise<PipelineRun | null>;
  /** The last `limit` days of which something is recorded, newest first. */
  list(orgId: string, experimentId: string, limit: number): Promise<readonly PipelineRun[]>;
  /** The newest day of every experiment of the org that has one, in any order. */
  listLatest(orgId: string): Promise<readonly PipelineRun[]>;
}
