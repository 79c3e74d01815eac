import type { AnalysisQuery } from "@assay/domain";
import { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import {
  addEvents,
  copyOf,
  type FirstExposure,
  isBefore,
  newUnit,
  type Unit,
  type UnitEvents,
  type Window,
} from "../units/unit.ts";
import { type UnitForm, unitReader, unitWriter } from "../units/unit-codec.ts";
import type { Codec } from "../units/unit-states.ts";
import { type EventGroup, groupsOf, mergeGroups } from "./event-groups.ts";
import type { EventRows, UserEvents } from "./event-rows.ts";
import { groupsReader, groupsWriter } from "./groups-codec.ts";
import type { KnownAndNew } from "./merged-units.ts";

/** Everything that an analysis knows about a unit. */
export interface AnalyzedUnit {
  readonly hash: bigint;
  readonly unit: Unit;
  readonly groups: readonly EventGroup[];
}

/** Writes and reads units. */
export function analyzedCodec(form: UnitForm): Codec<AnalyzedUnit> {
  return {
    layout: 4,
    writer() {
      const bytes = new RowBinaryWriter();
      const [addUnit, addGroups] = [unitWriter(bytes, form), groupsWriter(bytes)];
      return {
        add({ unit, groups }) {
          addUnit(unit);
          addGroups(groups, unit.first);
        },
        finish: () => bytes.finish(),
      };
    },
    *read(buffer) {
      const bytes = new RowBinaryReader(buffer);
      const [readUnit, readGroups] = [unitReader(bytes, form), groupsReader(bytes)];
      while (!bytes.isAtEnd()) {
        const unit = readUnit();
        yield { hash: unit.hash, unit, groups: readGroups(unit.first) };
      }
      return null;
    },
  };
}

/** The sums that are made from a unit's events. */
export interface UnitParts {
  readonly windows: readonly Window[];
  /** Only groups include events from `until` on. */
  readonly query: Pick<AnalysisQuery, "until" | "exposures">;
  /** Whether groups are made as well. */
  readonly hasGroups: boolean;
}

/** A unit with its stored state and its new events added. */
export interface UpdatedUnit {
  readonly hash: bigint;
  /** Without the open events; null if it has no others. */
  readonly closed: AnalyzedUnit | null;
  /** With all events. The same object as `closed`, unless the unit has open events. */
  readonly whole: AnalyzedUnit;
  /** Whether the unit's events must be read again to know what they count for (`addEvents`). */
  readonly isStale: boolean;
  /** Whether `closed` differs from the unit in the complete state from which the analysis began. */
  readonly isChanged: boolean;
}

/** Adds a unit's events to its stored state. Events received from `openFrom` on are open (null: none is). */
export function updatedUnit(
  { hash, known, isKnownChanged, found }: KnownAndNew<AnalyzedUnit>,
  { windows, query, hasGroups }: UnitParts,
  openFrom: number | null,
): UpdatedUnit {
  if (found === null)
    return { hash, closed: known, whole: known!, isStale: false, isChanged: isKnownChanged };
  const { rows } = found;
  const added = (given: AnalyzedUnit | null, some: readonly number[]): [AnalyzedUnit, boolean] => {
    const events = rows.withoutCopies(some);
    const unit = given?.unit ?? newUnitOf({ ...found, events }, windows);
    const isAdded = addEvents(unit, unitEventsOf(rows, events, query), windows);
    const groups = hasGroups ? mergeGroups(given?.groups ?? [], groupsOf({ rows, events })) : [];
    return [{ hash, unit, groups }, !isAdded];
  };
  const isOpen = (i: number) => rows.received[i]! >= openFrom!;
  const more =
    openFrom !== null && found.events.some(isOpen)
      ? { closed: found.events.filter((i) => !isOpen(i)), open: found.events.filter(isOpen) }
      : { closed: found.events, open: [] };
  const [closed, isStale] = more.closed.length === 0 ? [known, false] : added(known, more.closed);
  const isChanged = isKnownChanged || more.closed.length > 0;
  if (more.open.length === 0) return { hash, closed, whole: closed!, isStale, isChanged };
  const [whole, isOpenStale] = added(closed === null ? null : copied(closed), more.open);
  return { hash, closed, whole, isStale: isStale || isOpenStale, isChanged };
}

function copied({ hash, unit, groups }: AnalyzedUnit): AnalyzedUnit {
  return { hash, unit: copyOf(unit), groups };
}

/** Creates the unit of a user with events, without them. */
export function newUnitOf({ hash, rows, events: [any] }: UserEvents, windows: readonly Window[]): Unit {
  return newUnit({ hash, userId: rows.userId(any!), isTestUser: rows.isTestUser(any!) }, windows);
}

/** Separates a user's exposures from the outcomes. Test events are not outcomes. */
export function unitEventsOf(
  rows: EventRows,
  events: readonly number[],
  { until, exposures }: UnitParts["query"],
): UnitEvents {
  let first: FirstExposure | null = null;
  let isContaminated = false;
  const outcomes: number[] = [];
  for (let e = 0; e < events.length; e++) {
    const i = events[e]!;
    if (rows.at[i]! >= until) continue;
    const { kind } = rows.kinds[rows.kindOf[i]!]!;
    if (kind.type !== "exposure") {
      if (!rows.isTest(i)) outcomes.push(i);
    } else if (kind.variant !== "" && kind.ineligibleReason === (exposures ?? "")) {
      const exposure: FirstExposure = {
        ...{ at: rows.at[i]!, eventId: rows.exposureId(i), arm: kind.variant, isTest: rows.isTest(i) },
        userKey: rows.userKey(i),
      };
      isContaminated ||= first !== null && first.arm !== exposure.arm;
      if (first === null || isBefore(exposure, first)) first = exposure;
    }
  }
  return { first, isContaminated, outcomes, rows };
}
