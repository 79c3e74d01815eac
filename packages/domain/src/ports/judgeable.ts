/**
 * An experiment's calls of a time that a judge could score: of users who are exposed by then, in one variant, and no test users; with
 * the text of an answer, or failed; not before the first exposure and not under another variant.
 */
export interface JudgeableQuery {
  readonly orgId: string;
  readonly experimentId: string;
  /** Half-open window of a UTC day, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  /** Of the hashes that order a user's calls and the users: another salt draws others. */
  readonly salt: string;
}

/** Calls that are the `rank`-th of their user by hash, from 1: as many as there are users with that many calls. */
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
  /** Of 32 bits, of the event alone, whatever drew it: no order of users or ranks. */
  readonly order: number;
  /** Judgeable calls of the user in the window. */
  readonly callsOfUser: number;
  readonly hasFailed: boolean;
}

export interface CallTexts {
  readonly prompt: string | null;
  readonly response: string | null;
}

export interface FirstExposureQuery {
  readonly orgId: string;
  readonly experimentId: string;
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
  /** Seen in more than one arm: in no metric's sample. */
  readonly isContaminated: boolean;
}
