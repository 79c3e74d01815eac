import type { BucketMap } from "../allocation/bucket-map.ts";
import type { Experiment, ExperimentConfig } from "../experiment/config.ts";

/** What an insert of a new experiment or version writes. */
export interface NewVersion {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
  readonly at: number;
  readonly by: string;
}

export interface NewExperiment extends NewVersion {
  /** `Experiment.isDemo`; false when absent. */
  readonly isDemo?: boolean;
}

export interface ExperimentVersion extends Experiment {
  readonly createdBy: string;
}

export interface Creator {
  readonly id: string;
  /** The email address where no name is known. */
  readonly name: string;
}

export interface ExperimentStore {
  /** Inserts version 1. Throws `experiment-name-taken`. */
  create(first: NewExperiment): Promise<Experiment>;
  /** Appends a version and makes it the latest. Throws `experiment-name-taken`. */
  putVersion(version: NewVersion): Promise<Experiment>;
  /** Latest version; throws `experiment-not-found`. */
  get(orgId: string, id: string): Promise<Experiment>;
  /** Like `get`, by id or by name, null when there is none. */
  find(orgId: string, idOrName: string): Promise<Experiment | null>;
  /** Like `get`, and no other transaction may change, serve or claim it until this one ends. */
  lock(orgId: string, id: string): Promise<Experiment>;
  /** Latest versions, newest first. */
  list(orgId: string): Promise<readonly Experiment[]>;
  /** Who made version 1 of the org's experiments, or of one of them, by experiment; without those who are no users any more. */
  listCreators(orgId: string, id?: string): Promise<ReadonlyMap<string, Creator>>;
  /** All versions, newest first; throws `experiment-not-found`. */
  listVersions(orgId: string, id: string): Promise<readonly ExperimentVersion[]>;
  /**
   * Latest versions of every existing org's running experiments and of those stopped since `stoppedSince`: what the nightly run
   * looks at. Not the demo, whose nights are run as it is loaded.
   */
  listForNightly(stoppedSince: number): Promise<readonly Experiment[]>;
  /** The org that an experiment belongs to; null when there is none. For requests that name no org but are signed with its secret. */
  findOrgId(id: string): Promise<string | null>;
  /** Buckets claimed one by one (before the experiment was served). */
  listClaims(experimentId: string): Promise<ReadonlySet<number>>;
  /** Claims buckets under `version`; false when that is not the latest version any more (nothing is claimed then). */
  claimBuckets(
    orgId: string,
    experimentId: string,
    claim: { version: number; buckets: readonly number[]; now: number },
  ): Promise<boolean>;
  /** Marks the experiment as served to clients under `version`; false when that is not the latest version any more. */
  markServed(orgId: string, experimentId: string, served: { version: number; now: number }): Promise<boolean>;
  /** Removes the experiment with its versions, claims, results and pipeline runs; false when there is none. */
  remove(orgId: string, id: string): Promise<boolean>;
}
