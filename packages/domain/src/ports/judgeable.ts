import type { ExperimentEvents } from "./experiment-events.ts";

/**
 * An experiment's calls in a window that a judge could score. They have the text of an answer or failed, and they are made at or after
 * the user's first exposure, under the same variant. Test users and users seen in several variants are left out.
 */
export interface JudgeableQuery extends ExperimentEvents {
  /** Half-open window of a UTC day, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  /** Salt of the hashes that order users and their calls: another salt draws other calls. */
  readonly salt: string;
}

/** Number of calls that are the `rank`-th of their user by hash, from 1: the number of users with at least that many calls. */
export interface JudgeableCount {
  readonly arm: string;
  readonly rank: number;
  readonly calls: number;
}

/** How many calls of each rank to draw: entry 0 of an arm is rank 1. */
export type JudgeableQuotas = Readonly<Record<string, readonly number[]>>;

export interface JudgeableCall {
  readonly eventId: string;
  readonly userId: string;
  readonly arm: string;
  readonly occurredAt: number;
  /** A 32-bit hash of the event id alone, independent of users and ranks. */
  readonly order: number;
  /** Judgeable calls of the user in the window. */
  readonly callsOfUser: number;
  readonly hasFailed: boolean;
}

export interface CallTexts {
  readonly prompt: string | null;
  readonly response: string | null;
}

export interface FirstExposureQuery extends ExperimentEvents {
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  /** As in `AnalysisQuery`. */
  readonly periodStarts: readonly number[];
  readonly userIds: readonly string[];
}

export interface FirstExposure {
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  readonly at: number;
  /** The user of a unit that is not itself a user: see `UnitClusters`. */
  readonly cluster?: number;
  /** Seen in more than one arm, and so excluded from every metric. */
  readonly isContaminated: boolean;
}
