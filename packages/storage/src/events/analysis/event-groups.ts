import { EVENT_TYPES, type EventType } from "@assay/domain";
import type { RowBinaryReader } from "../engine/row-binary.ts";
import { compareBytes } from "../sql/compare-bytes.ts";
import { MARK } from "./facts-query.ts";

/** Events of one user that are equal in all that an experiment's facts are made of. */
export interface EventGroup {
  readonly type: EventType;
  /** These are empty when the events name none. */
  readonly variant: string;
  readonly source: string;
  readonly businessMetric: string;
  readonly ineligibleReason: string;
  readonly model: string;
  readonly requestedModel: string;
  /** Empty for outcomes, too. */
  readonly assignedVariant: string;
  readonly client: string;
  /** The bits of `MARK`. */
  readonly marks: number;
  readonly events: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The id of the first exposure among them, and of those at the same time, the lesser; empty for outcomes. */
  readonly firstId: string;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
}

/** A row of `eventGroupsQuery`. */
export interface GroupRow extends EventGroup {
  readonly hash: bigint;
  /** Whether the events were received too late for the state that the analysis stores. */
  readonly isOpen: boolean;
}

/** A user's first exposure. */
export interface FirstExposureFacts
  extends Pick<EventGroup, "variant" | "assignedVariant" | "source" | "client"> {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether the user's other exposures name another variant. */
  readonly isContaminated: boolean;
}

/** Finds the first of a user's exposures that count; null if there is none. */
export function firstExposureOf(groups: readonly EventGroup[]): FirstExposureFacts | null {
  const exposures = groups.filter(isEligible);
  if (exposures.length === 0) return null;
  const first = exposures.reduce((one, other) => (isEarlier(other, one) ? other : one));
  const { variant, assignedVariant, source, client, firstAt: at } = first;
  const isContaminated = exposures.some((group) => group.variant !== variant);
  return { variant, assignedVariant, source, client, at, isContaminated };
}

function isEarlier(one: EventGroup, other: EventGroup): boolean {
  return one.firstAt === other.firstAt
    ? compareBytes(one.firstId, other.firstId) < 0
    : one.firstAt < other.firstAt;
}

/** Adds groups to a user's groups. */
export function mergeGroups(
  groups: readonly EventGroup[],
  more: readonly EventGroup[],
): readonly EventGroup[] {
  if (groups.length === 0) return more;
  const merged = new Map(groups.map((group) => [groupKey(group), group]));
  for (const group of more) {
    const key = groupKey(group);
    const known = merged.get(key);
    merged.set(key, known === undefined ? group : sumOfGroups(known, group));
  }
  return [...merged.values()];
}

function sumOfGroups(one: EventGroup, other: EventGroup): EventGroup {
  const { firstAt, firstId } = isEarlier(other, one) ? other : one;
  return {
    ...{
      ...one,
      firstAt,
      firstId,
      lastAt: Math.max(one.lastAt, other.lastAt),
      events: one.events + other.events,
    },
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  };
}

/** The names of a group's columns that are text. */
export const GROUP_TEXTS = [
  "variant",
  "source",
  "businessMetric",
  "ineligibleReason",
  "model",
  "requestedModel",
  "assignedVariant",
  "client",
] as const satisfies readonly (keyof EventGroup)[];

/** Returns a text that is the same for groups whose events are equal. The lengths tell where a name ends. */
export function groupKey(group: EventGroup): string {
  let [key, texts] = [`${group.type} ${group.marks}`, ""];
  for (const name of GROUP_TEXTS) {
    const text = group[name];
    key += ` ${text.length}`;
    texts += text;
  }
  return `${key} ${texts}`;
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
export function readGroup(rows: RowBinaryReader): GroupRow {
  return {
    hash: rows.uint64(),
    isOpen: rows.uint8() === 1,
    type: EVENT_TYPES[rows.uint8() - 1]!,
    variant: rows.string(),
    source: rows.string(),
    businessMetric: rows.string(),
    ineligibleReason: rows.string(),
    model: rows.string(),
    requestedModel: rows.string(),
    assignedVariant: rows.string(),
    client: rows.string(),
    marks: rows.uint16(),
    events: rows.float64(),
    firstAt: rows.float64(),
    lastAt: rows.float64(),
    inputTokens: rows.float64(),
    cachedInputTokens: rows.float64(),
    firstId: rows.string(),
  };
}
