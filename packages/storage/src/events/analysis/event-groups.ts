import { EVENT_TYPES, type EventType } from "@assay/domain";
import type { RowBinaryReader } from "../engine/row-binary.ts";
import { MARK } from "./facts-query.ts";

/** Events of one user that are equal in all that an experiment's facts are made of. */
export interface EventGroup {
  readonly hash: bigint;
  readonly type: EventType;
  /** These are empty when the events name none. */
  readonly variant: string;
  readonly source: string;
  readonly businessMetric: string;
  readonly ineligibleReason: string;
  readonly model: string;
  readonly requestedModel: string;
  /** The bits of `MARK`. */
  readonly marks: number;
  readonly events: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
}

/** A user's first exposure. */
export interface FirstExposureRow {
  readonly hash: bigint;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly variant: string;
  /** These are empty when the exposure names none. */
  readonly assignedVariant: string;
  readonly source: string;
  readonly client: string;
  /** Whether the user's other exposures name another variant. */
  readonly isContaminated: boolean;
}

/**
 * Names of senders that are counted one by one, of each kind: without a bound, a sender of new names would fill the memory. The answers
 * list the most used, and the names of many users come early in the order of users.
 */
export const MOST_NAMES = 10_000;

/** Whether a group's events have a mark. */
export function isMarked({ marks }: Pick<EventGroup, "marks">, mark: keyof typeof MARK): boolean {
  return (marks & MARK[mark]) !== 0;
}

/** Whether a group's events are exposures that count. */
export function isEligible({ type, variant, ineligibleReason }: EventGroup): boolean {
  return type === "exposure" && variant !== "" && ineligibleReason === "";
}

/** Returns when the first event of these groups occurred. A hostile user has more of them than a call takes arguments. */
export function firstOf(groups: readonly EventGroup[]): number {
  return groups.reduce((first, { firstAt }) => Math.min(first, firstAt), Number.POSITIVE_INFINITY);
}

/** Reads a row of `eventGroupsQuery`. */
export function readGroup(rows: RowBinaryReader): EventGroup {
  return {
    hash: rows.uint64(),
    type: EVENT_TYPES[rows.uint8() - 1]!,
    variant: rows.string(),
    source: rows.string(),
    businessMetric: rows.string(),
    ineligibleReason: rows.string(),
    model: rows.string(),
    requestedModel: rows.string(),
    marks: rows.uint16(),
    events: rows.float64(),
    firstAt: rows.float64(),
    lastAt: rows.float64(),
    inputTokens: rows.float64(),
    cachedInputTokens: rows.float64(),
  };
}

/** Reads a row of `firstExposuresQuery`. */
export function readFirstExposure(rows: RowBinaryReader): FirstExposureRow {
  return {
    hash: rows.uint64(),
    at: rows.float64(),
    variant: rows.string(),
    assignedVariant: rows.string(),
    source: rows.string(),
    client: rows.string(),
    isContaminated: rows.uint8() === 1,
  };
}
