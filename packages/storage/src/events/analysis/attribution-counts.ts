import {
  type AttributionFacts,
  EVENT_TYPES,
  type EventSource,
  type ExposedUsers,
  type IneligibleExposures,
  type IneligibleReason,
  type OutcomeSource,
} from "@assay/domain";
import { sumOf } from "@assay/stats";
import type { Mutable } from "../../mutable.ts";
import { compareBytes } from "../sql/compare-bytes.ts";
import { type EventGroup, type FirstExposureFacts, firstOf, MOST_NAMES } from "./event-groups.ts";
import type { EventKind } from "./event-kind.ts";

/** Most rows of a list. Without a limit, senders could make the list long by using many names. */
const MAX_ROWS = 200;

/** Counts how an experiment's events arrived and whom they count for, user by user. */
export class AttributionCounts {
  readonly #exposed = new Map<string, Mutable<ExposedUsers>>();
  readonly #ineligible = new Map<string, Mutable<IneligibleExposures>>();
  readonly #outcomes = new Map<string, Mutable<OutcomeSource>>();

  /** Adds a user: the first exposure, if there is one, and all events. */
  add(first: FirstExposureFacts | null, groups: readonly EventGroup[]): void {
    if (first !== null) this.#addFirst(first);
    for (const own of alike(groups))
      if (own[0]!.kind.type === "exposure") this.#addIneligible(own);
      else this.#addOutcomes(first, own);
  }

  #addFirst(first: FirstExposureFacts): void {
    const { variant, assignedVariant, source, client } = first;
    const counts = entry(this.#exposed, firstKey(first), () => ({
      ...{ variant, assignedVariant: assignedVariant || null, source: sourceOf(source) },
      ...{ client: client || null, users: 0 },
    }));
    counts.users += 1;
  }

  #addIneligible(groups: readonly EventGroup[]): void {
    const { variant, ineligibleReason } = groups[0]!.kind;
    if (ineligibleReason === "") return;
    const since = firstOf(groups);
    const counts = entry(this.#ineligible, keyOf(groups[0]!), () => ({
      reason: ineligibleReason as IneligibleReason,
      ...{ variant: variant || null, users: 0, exposures: 0, since },
    }));
    counts.users += 1;
    counts.exposures += eventsOf(groups);
    counts.since = Math.min(counts.since, since);
  }

  #addOutcomes(first: FirstExposureFacts | null, groups: readonly EventGroup[]): void {
    const { type, businessMetric, source } = groups[0]!.kind;
    const counts = entry(this.#outcomes, keyOf(groups[0]!), () => ({
      type: type as OutcomeSource["type"],
      ...{ businessMetric: businessMetric || null, source: sourceOf(source) },
      ...{ events: 0, users: 0, usersBeforeExposure: 0, usersWithoutExposure: 0 },
    }));
    counts.events += eventsOf(groups);
    counts.users += 1;
    if (first === null) counts.usersWithoutExposure += 1;
    else if (groups.every(({ lastAt }) => lastAt < first.at)) counts.usersBeforeExposure += 1;
  }

  /** Returns the counts. Lists with senders' names have only the most used names. */
  finish(): Omit<AttributionFacts, "supersededIds"> {
    const names = (...texts: (string | null)[]) => texts.map((text) => text ?? "");
    return {
      firstExposures: sorted(this.#exposed, (one, other) =>
        inOrder(
          other.users - one.users,
          names(one.variant, one.assignedVariant, one.source, one.client),
          names(other.variant, other.assignedVariant, other.source, other.client),
        ),
      ).slice(0, MAX_ROWS),
      ineligible: sorted(this.#ineligible, (one, other) =>
        inOrder(0, names(one.reason, one.variant), names(other.reason, other.variant)),
      ),
      outcomes: sorted(this.#outcomes, (one, other) =>
        inOrder(
          other.events - one.events || EVENT_TYPES.indexOf(one.type) - EVENT_TYPES.indexOf(other.type),
          names(one.businessMetric, one.source),
          names(other.businessMetric, other.source),
        ),
      ).slice(0, MAX_ROWS),
    };
  }
}

/** Returns the key of a group's row in a list. Groups of one kind have the same key. */
function keyOf({ kind }: EventGroup): string {
  const known = keys.get(kind);
  if (known !== undefined) return known;
  const { type, ineligibleReason, variant, businessMetric, source } = kind;
  // The length shows where the first name ends. JSON would also separate the names, but takes several times as long.
  const [one, other] = type === "exposure" ? [ineligibleReason, variant] : [businessMetric, source];
  const key = `${type} ${one.length} ${one}${other}`;
  keys.set(kind, key);
  return key;
}

const keys = new WeakMap<EventKind, string>();

const firstKey = ({ variant, assignedVariant, source, client }: FirstExposureFacts) =>
  `${variant.length} ${assignedVariant.length} ${source.length} ${variant}${assignedVariant}${source}${client}`;

function alike(groups: readonly EventGroup[]) {
  return groups.length === 1 ? [groups] : Map.groupBy(groups, keyOf).values();
}

/** Returns the counts of a key, created if new. Beyond `MOST_NAMES` keys, counts of new keys are not kept. */
function entry<T>(counts: Map<string, T>, key: string, create: () => T): T {
  const own = counts.get(key) ?? create();
  if (counts.size < MOST_NAMES || counts.has(key)) counts.set(key, own);
  return own;
}

function eventsOf(groups: readonly EventGroup[]): number {
  return sumOf(groups.map(({ events }) => events));
}

function sorted<T>(counts: ReadonlyMap<string, T>, order: (one: T, other: T) => number): T[] {
  return [...counts.values()].sort(order);
}

function inOrder(numbers: number, one: readonly string[], other: readonly string[]): number {
  return one.reduce((order, text, i) => order || compareBytes(text, other[i]!), numbers);
}

function sourceOf(source: string): EventSource | null {
  return source === "" ? null : (source as EventSource);
}
