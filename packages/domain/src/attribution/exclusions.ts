import type { StoredEvent } from "../event/event.ts";
import type { EventSource } from "../event/sources.ts";
import type { FieldFault } from "../problem.ts";

/** Which stored events of an experiment are excluded: those that match every given field. At least one is required. */
export interface ExclusionMatch {
  readonly userIds?: readonly string[];
  readonly eventIds?: readonly string[];
  readonly source?: EventSource;
  readonly keyPrefix?: string;
  readonly client?: string;
  /** As stored with the event. */
  readonly variant?: string;
  readonly businessMetric?: string;
  /** Half-open range of the events' timestamps, epoch milliseconds. */
  readonly from?: number;
  readonly to?: number;
}

interface Entry {
  /** 1, 2, and so on, within the experiment. */
  readonly number: number;
  readonly reason: string;
  readonly actor: { readonly id: string; readonly name: string; readonly email: string };
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface Exclusion extends Entry {
  readonly match: ExclusionMatch;
  readonly lifts: null;
}

/** Ends an exclusion. */
export interface Lift extends Entry {
  readonly match: null;
  /** Number of the exclusion. */
  readonly lifts: number;
}

/** An entry of an experiment's list, which is never changed or removed. */
export type ExclusionEntry = Exclusion | Lift;

/** The exclusions that apply to an experiment's events. */
export interface ExperimentExclusions {
  readonly experimentId: string;
  readonly matches: readonly ExclusionMatch[];
}

/** The maximum number of ids in one list of a match. */
export const MAX_EXCLUDED_IDS = 1_000;
const MAX_IN_FORCE = 100;
/** Limits the ids of all exclusions in force, because every query of an analysis carries them all. */
const MAX_ID_CHARACTERS = 500_000;

/** How an event is compared with each part of a match. */
const PARTS: {
  readonly [P in keyof ExclusionMatch]-?: (
    part: NonNullable<ExclusionMatch[P]>,
  ) => (event: StoredEvent) => boolean;
} = {
  userIds: (ids) => isIn(ids, "userId"),
  eventIds: (ids) => isIn(ids, "eventId"),
  source: (source) => (event) => event.source === source,
  keyPrefix: (prefix) => (event) => event.keyPrefix === prefix,
  client: (client) => (event) => event.client === client,
  variant: (variant) => (event) => event.variant === variant,
  businessMetric: (metric) => (event) => event.businessMetric === metric,
  from: (from) => (event) => event.occurredAt >= from,
  to: (to) => (event) => event.occurredAt < to,
};

function isIn(ids: readonly string[], field: "userId" | "eventId"): (event: StoredEvent) => boolean {
  const set = new Set(ids);
  return (event) => set.has(event[field]);
}

/** Makes the test of whether an event matches any of these. */
export function excludedBy(matches: readonly ExclusionMatch[]): (event: StoredEvent) => boolean {
  const tests = matches.map((match) =>
    (Object.keys(PARTS) as (keyof ExclusionMatch)[]).flatMap((name) => {
      const part = match[name];
      return part === undefined
        ? []
        : [(PARTS[name] as (part: unknown) => (event: StoredEvent) => boolean)(part)];
    }),
  );
  return (event) => tests.some((parts) => parts.every((matchesPart) => matchesPart(event)));
}

/** Returns whether a match excludes all events of its users: it names users and has no other part. */
export function isOfWholeUsers({ userIds, ...rest }: ExclusionMatch): boolean {
  return userIds !== undefined && Object.values(rest).every((part) => part === undefined);
}

/** Lists the exclusions that no entry lifts, considering entries up to `upTo` (default: all). */
export function exclusionsInForce(
  entries: readonly ExclusionEntry[],
  upTo = Number.POSITIVE_INFINITY,
): readonly Exclusion[] {
  const seen = entries.filter(({ number }) => number <= upTo);
  const lifted = new Set(seen.map(({ lifts }) => lifts));
  return seen.filter((entry): entry is Exclusion => entry.match !== null && !lifted.has(entry.number));
}

/** Returns the number of the newest entry; 0 without one. */
export function lastExclusion(entries: readonly ExclusionEntry[]): number {
  return entries.reduce((last, { number }) => Math.max(last, number), 0);
}

/**
 * Returns whether a run that applied the entries up to `upTo` read the same events before its cut-off `until` (epoch
 * milliseconds) as it would today, because every exclusion added or lifted since concerns later events.
 */
export function readSameEvents(
  entries: readonly ExclusionEntry[],
  { upTo, until }: { readonly upTo: number; readonly until: number },
): boolean {
  const [then, now] = [exclusionsInForce(entries, upTo), exclusionsInForce(entries)];
  const changed = [...then, ...now].filter((one) => then.includes(one) !== now.includes(one));
  return changed.every(({ match: { from } }) => from !== undefined && from >= until);
}

/**
 * Lists the rules that a new exclusion breaks and that a schema cannot express. Pointers use wire names. `variants` are
 * those of every version of the experiment.
 */
export function checkExclusion(
  match: ExclusionMatch,
  {
    variants,
    inForce,
  }: { readonly variants: ReadonlySet<string>; readonly inForce: readonly Pick<Exclusion, "match">[] },
): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (Object.keys(match).length === 0)
    faults.push({
      pointer: "/match",
      detail: "needs at least one condition, or it would exclude all events.",
    });
  const { userIds, eventIds, variant, from, to } = match;
  for (const [name, ids] of [
    ["user_ids", userIds],
    ["event_ids", eventIds],
  ] as const) {
    if (ids?.length === 0) faults.push({ pointer: `/match/${name}`, detail: "needs at least one id." });
  }
  if (variant !== undefined && !variants.has(variant))
    faults.push({ pointer: "/match/variant", detail: `must be one of ${[...variants].join(", ")}.` });
  for (const [name, at] of [
    ["from", from],
    ["to", to],
  ] as const) {
    if (Number.isNaN(at)) faults.push({ pointer: `/match/${name}`, detail: "is not a time." });
  }
  if (from !== undefined && to !== undefined && from >= to)
    faults.push({ pointer: "/match/to", detail: "must be later than from." });
  return [...faults, ...checkLimits(match, inForce)];
}

function checkLimits(
  match: ExclusionMatch,
  inForce: readonly Pick<Exclusion, "match">[],
): readonly FieldFault[] {
  if (inForce.length >= MAX_IN_FORCE) {
    const detail = `At most ${MAX_IN_FORCE} exclusions may be in force. Lift one first, or exclude more events with one entry.`;
    return [{ pointer: "", detail }];
  }
  const characters = [match, ...inForce.map((exclusion) => exclusion.match)]
    .flatMap(({ userIds = [], eventIds = [] }) => [...userIds, ...eventIds])
    .reduce((sum, id) => sum + id.length, 0);
  if (characters <= MAX_ID_CHARACTERS) return [];
  const detail = `The ids of all exclusions in force would have more than ${MAX_ID_CHARACTERS.toLocaleString("en-US")} characters. Lift one first, or match by time, key or client.`;
  return [{ pointer: "/match", detail }];
}
