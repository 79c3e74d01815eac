import type { ExperimentUnit } from "../experiment/unit.ts";
import type { EventsOfUnits } from "./experiment-events.ts";

/**
 * An experiment's calls in a window that a judge could score: they have the text of an answer or failed, at or after the user's first
 * exposure, under the same variant. Test users and users seen in several variants are left out. If the unit is not the user, a judge
 * scores whole units: the last such call of each unit in the window stands for the unit.
 */
export interface JudgeableQuery extends EventsOfUnits {
  /** Half-open window of a UTC day, epoch milliseconds. */
  readonly from: number;
  readonly until: number;
  /** Salt of the hashes that order users and their calls: another salt draws other calls. */
  readonly salt: string;
}

/** Number of calls that are their user's `rank`-th by hash, from 1. It equals the number of users with at least `rank` calls. */
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
  /** Null if the unit is the user. */
  readonly unitId: string | null;
  readonly arm: string;
  readonly occurredAt: number;
  /** A 32-bit hash of the event id alone, independent of users and ranks. */
  readonly order: number;
  /** The user's judgeable calls in the window; if the unit is not the user, the user's units in the same arm. */
  readonly callsOfUser: number;
  /** Always false if the unit is not the user: a judge then also scores what came before the failure. */
  readonly hasFailed: boolean;
  /** Probability with which a sampler kept the call; 1 without a sampler. */
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

/** Selects the events of units in the raw log. */
export interface TranscriptQuery {
  readonly orgId: string;
  readonly experimentId: string;
  readonly unit: ExperimentUnit;
  readonly units: readonly UnitSoFar[];
}

/** A unit's model call or tool call, with its texts. */
export interface TranscriptEvent extends CallTexts {
  readonly hasFailed: boolean;
  /** Null for a model call. For a tool call, `prompt` is the tool's input and `response` its output. */
  readonly tool: string | null;
}

/** The newest events of a unit up to a call, oldest first. */
export interface UnitEventsSoFar {
  readonly events: readonly TranscriptEvent[];
  /** Whether earlier events are left out because the unit is too long. */
  readonly isCut: boolean;
}

export interface FirstExposureQuery extends EventsOfUnits {
  /** Exclusive cut-off, epoch milliseconds. */
  readonly until: number;
  /** As in `AnalysisQuery`. */
  readonly periodStarts: readonly number[];
  /** Ids of users, or of units if the unit is not the user. */
  readonly userIds: readonly string[];
}

export interface FirstExposure {
  /** The unit's id if the unit is not the user. */
  readonly userId: string;
  readonly arm: string;
  readonly period: number;
  readonly at: number;
  /** The user of a unit that is not itself a user: see `UnitClusters`. */
  readonly cluster?: number;
  /** Whether it was seen in more than one arm, and is therefore excluded from every metric. */
  readonly isContaminated: boolean;
}
