import type { BucketMap } from "../allocation/bucket-map.ts";
import type { Experiment, ExperimentConfig } from "../experiment/config.ts";

/** A new version of an experiment. */
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
  /** The email address if no name is known. */
  readonly name: string;
}

/** A deleted experiment whose events may still have to be removed. */
export interface Removal {
  readonly orgId: string;
  readonly experimentId: string;
  /** Epoch milliseconds. */
  readonly removedAt: number;
}

export interface ExperimentStore {
  /**
   * Inserts version 1. If the name is a former name of an ended or draft experiment, that experiment gives it up. Throws
   * `experiment-name-taken`, also if it is a former name of a running experiment.
   */
  create(first: NewExperiment): Promise<Experiment>;
  /** Appends a version and makes it the latest. A new name is taken as in `create`, and the old one becomes a former name. */
  putVersion(version: NewVersion): Promise<Experiment>;
  /** Latest version; throws `experiment-not-found`. */
  get(orgId: string, id: string): Promise<Experiment>;
  /** Like `get`, by id, name or former name, in this order; null without one. */
  find(orgId: string, idOrName: string): Promise<Experiment | null>;
  /** Like `get`, and locks it: no other transaction can change, serve or claim it until this one ends. */
  lock(orgId: string, id: string): Promise<Experiment>;
  /** Latest versions, newest first. */
  list(orgId: string): Promise<readonly Experiment[]>;
  /** Former names of the org's experiments, or of one of them, newest first, by experiment id. */
  listFormerNames(orgId: string, id?: string): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Creators of the org's experiments, or of one of them, by experiment id; without deleted users. */
  listCreators(orgId: string, id?: string): Promise<ReadonlyMap<string, Creator>>;
  /** All versions, newest first; throws `experiment-not-found`. */
  listVersions(orgId: string, id: string): Promise<readonly ExperimentVersion[]>;
  /** The versions after a given one, oldest first; empty for an unknown experiment. */
  listVersionsAfter(orgId: string, id: string, version: number): Promise<readonly ExperimentVersion[]>;
  /**
   * Latest versions of all experiments that the nightly run covers, in every existing org: running ones, and ones stopped since
   * `stoppedSince`. The demo is left out, because its nights run when it is loaded.
   */
  listForNightly(stoppedSince: number): Promise<readonly Experiment[]>;
  /** Latest versions of all experiments with a holdback that is open or has ended since `endedSince`, in every existing org. */
  listHoldbacks(endedSince: number): Promise<readonly Experiment[]>;
  /** The org of an experiment, or null. For requests that do not name the org but are signed with its secret. */
  findOrgId(id: string): Promise<string | null>;
  /** Buckets claimed one by one, before the experiment was served. */
  listClaims(experimentId: string): Promise<ReadonlySet<number>>;
  /** Claims buckets under `version`. If that is no longer the latest version, claims nothing and returns false. */
  claimBuckets(
    orgId: string,
    experimentId: string,
    claim: { version: number; buckets: readonly number[]; now: number },
  ): Promise<boolean>;
  /** Marks the experiment as served to clients under `version`; false if that is no longer the latest version. */
  markServed(orgId: string, experimentId: string, served: { version: number; now: number }): Promise<boolean>;
  /**
   * Removes users' ids from the lists of QA users, in every version of the org's experiments. Returns the number of
   * changed versions.
   */
  eraseQaUsers(orgId: string, userIds: readonly string[]): Promise<number>;
  /** Removes the experiment with everything stored about it; false if there is none. */
  remove(orgId: string, id: string): Promise<boolean>;
  /** Records that an experiment was deleted, until `forgetRemovals`. */
  putRemoval(removal: Removal): Promise<void>;
  /** Every recorded removal, oldest first. */
  listRemovals(): Promise<readonly Removal[]>;
  /** Forgets the removals from before an instant. */
  forgetRemovals(before: number): Promise<void>;
}
