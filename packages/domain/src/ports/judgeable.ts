import type { ExperimentUnit } from "../experiment/unit.ts";
import type { EventsOfUnits } from "./experiment-events.ts";

/**
 * An experiment's calls in a window that a judge could score. They have the text of an answer or failed, and they are made at or after
 * the user's first exposure, under the same variant. Test users and users seen in several variants are left out. Where the unit is not
 * the user, a judge scores what a unit came to: the last such call of each unit in the window stands for it.
 */
export interface JudgeableQuery extends EventsOfUnits {
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
  /** Null where the unit is the user. */
  readonly unitId: string | null;
  readonly arm: string;
  readonly occurredAt: number;
  /** A 32-bit hash of the event id alone, independent of users and ranks. */
  readonly order: number;
  /** Judgeable calls of the user in the window; where the unit is not the user, the user's units of the same arm. */
  readonly callsOfUser: number;
  /** Never where the unit is not the user: a judge scores what came before the failure, too. */
  readonly hasFailed: boolean;
  /** With which its sampler kept it; 1: without one. */
  readonly samplingProbability: number;
}

export interface CallTexts {
  readonly prompt: string | null;
  readonly response: string | null;
}

/** A unit up to one of its calls. */
export interface UnitSoFar {
  readonly unitId: string;
  /** The call, which is the last one. */
  readonly eventId: string;
  readonly occurredAt: number;
}

/** What happened in units, from the raw log. */
export interface TranscriptQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly unit: ExperimentUnit;
  readonly units: readonly UnitSoFar[];
}

/** A call of a unit with its texts: of a model, or of a tool. */
export interface TranscriptEvent extends CallTexts {
  readonly hasFailed: boolean;
  /** Null: a model was called. Of a tool, `prompt` is what it was called with, and `response` what it gave back. */
  readonly tool: string | null;
}

/** The newest events of a unit up to a call, oldest first. */
export interface UnitEventsSoFar {
  readonly events: readonly TranscriptEvent[];
  /** There were earlier ones that are left out, because the unit is too long. */
  readonly isCut: boolean;
}

export interface FirstExposureQuery extends EventsOfUnits {
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  /** As in `AnalysisQuery`. */
  readonly periodStarts: readonly number[];
  /** Ids of users, or of units where the unit is not the user. */
  readonly userIds: readonly string[];
}

export interface FirstExposure {
  /** Where the unit is not the user, the unit's. */
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  readonly at: number;
  /** The user of a unit that is not itself a user: see `UnitClusters`. */
  readonly cluster?: number;
  /** Seen in more than one arm, and so excluded from every metric. */
  readonly isContaminated: boolean;
}
