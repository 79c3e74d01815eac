import type { Mutable } from "../../mutable.ts";
import { compareBytes } from "../sql/compare-bytes.ts";
import { type EventKind, isEligible, MARK } from "./event-kind.ts";
import type { UserEvents } from "./event-rows.ts";

const MARK_BITS = Object.keys(MARK).length;

/** Events of one user that are equal in everything that an experiment's facts need. */
export interface EventGroup {
  readonly kind: EventKind;
  /** The bits of `MARK`. */
  readonly marks: number;
  readonly events: number;
  /** Epoch milliseconds. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The id of the group's first exposure (the lesser id at the same time); empty for outcomes. */
  readonly firstId: string;
  /** Sums over the events that report both. */
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
}

/** A user's first exposure. */
export interface FirstExposureFacts
  extends Pick<EventKind, "variant" | "assignedVariant" | "source" | "client"> {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether the user's other exposures name another variant. */
  readonly isContaminated: boolean;
}

/** Finds the first of a user's exposures that count; null if there is none. */
export function firstExposureOf(groups: readonly EventGroup[]): FirstExposureFacts | null {
  const exposures = groups.filter(({ kind }) => isEligible(kind));
  if (exposures.length === 0) return null;
  const first = exposures.reduce((one, other) => (isEarlier(other, one) ? other : one));
  const { variant, assignedVariant, source, client } = first.kind;
  const { firstAt: at } = first;
  const isContaminated = exposures.some(({ kind }) => kind.variant !== variant);
  return { variant, assignedVariant, source, client, at, isContaminated };
}

type FirstOf = Pick<EventGroup, "firstAt" | "firstId">;

function isEarlier(one: FirstOf, other: FirstOf): boolean {
  return one.firstAt === other.firstAt
    ? compareBytes(one.firstId, other.firstId) < 0
    : one.firstAt < other.firstAt;
}

/** Groups a user's events. */
export function groupsOf({ rows, events }: Pick<UserEvents, "rows" | "events">): readonly EventGroup[] {
  const groups = new Map<number, Mutable<EventGroup>>();
  for (let e = 0; e < events.length; e++) {
    const i = events[e]!;
    const code = rows.kindOf[i]!;
    const marks = rows.marks(i);
    const key = code * 2 ** MARK_BITS + marks;
    const at = rows.at[i]!;
    let group = groups.get(key);
    if (group === undefined) {
      group = {
        kind: rows.kinds[code]!.kind,
        marks,
        events: 0,
        firstAt: at,
        lastAt: at,
        firstId: rows.exposureId(i),
        inputTokens: 0,
        cachedInputTokens: 0,
      };
      groups.set(key, group);
    } else noteTime(group, at, rows.exposureId(i));
    group.events += 1;
    if ((marks & MARK.reportsCached) === 0) continue;
    group.inputTokens += rows.inputTokens(i);
    group.cachedInputTokens += rows.cachedInputTokens(i);
  }
  return [...groups.values()];
}

/** Records the time of an event in its group, and its id if it is the first. */
function noteTime(group: Mutable<EventGroup>, at: number, id: string): void {
  if (isEarlier({ firstAt: at, firstId: id }, group)) {
    group.firstAt = at;
    group.firstId = id;
  }
  if (at > group.lastAt) group.lastAt = at;
}

/** Adds groups to a user's groups. */
export function mergeGroups(
  groups: readonly EventGroup[],
  more: readonly EventGroup[],
): readonly EventGroup[] {
  if (groups.length === 0) return more;
  const merged = new Map<string, EventGroup>();
  for (const group of groups) merged.set(groupKey(group), group);
  for (const group of more) {
    const key = groupKey(group);
    const known = merged.get(key);
    merged.set(key, known === undefined ? group : sumOf(known, group));
  }
  return [...merged.values()];
}

function sumOf(one: EventGroup, other: EventGroup): EventGroup {
  const { firstAt, firstId } = isEarlier(other, one) ? other : one;
  return {
    kind: one.kind,
    marks: one.marks,
    events: one.events + other.events,
    firstAt,
    lastAt: Math.max(one.lastAt, other.lastAt),
    firstId,
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
] as const satisfies readonly (keyof EventKind)[];

/** Returns a text that is equal for groups of equal events. Groups of one kind share the same object, so its hash is computed once. */
export function groupKey({ kind, marks }: EventGroup): string {
  let keys = keysOf.get(kind);
  if (keys === undefined) {
    keys = [];
    keysOf.set(kind, keys);
  }
  keys[marks] ??= `${marks} ${kindKey(kind)}`;
  return keys[marks];
}

/** By marks. */
const keysOf = new WeakMap<EventKind, string[]>();

/** Contains the lengths of the names, which show where each ends. */
function kindKey(kind: EventKind): string {
  const texts = GROUP_TEXTS.map((name) => kind[name]);
  return `${kind.type} ${texts.map(({ length }) => length).join(" ")} ${texts.join("")}`;
}

/**
 * Maximum number of senders' names of each kind that are counted. Without a limit, a sender with ever new names would fill the memory.
 * The answers list the most used names, and names of many users appear early in the order of users.
 */
export const MOST_NAMES = 10_000;

/** Returns whether a group's events have a mark. */
export function isMarked({ marks }: Pick<EventGroup, "marks">, mark: keyof typeof MARK): boolean {
  return (marks & MARK[mark]) !== 0;
}

/** Returns when the first event of these groups occurred. A hostile user may have more groups than a call takes arguments. */
export function firstOf(groups: readonly EventGroup[]): number {
  return groups.reduce((first, { firstAt }) => Math.min(first, firstAt), Number.POSITIVE_INFINITY);
}
