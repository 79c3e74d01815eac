import { EVENT_TYPES } from "@assay/domain";
import type { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import type { FirstExposure } from "../units/unit.ts";
import { type EventGroup, GROUP_TEXTS, groupKey, isMarked } from "./event-groups.ts";
import type { EventKind } from "./event-kind.ts";

type Kind = Pick<EventGroup, "kind" | "marks">;

/** The first exposure, relative to which a unit's groups are written. The reader needs the same. */
type First = Pick<FirstExposure, "at" | "eventId"> | null;

/** Returns a function that appends a unit's groups. Equal groups give equal bytes, however they were added up. */
export function groupsWriter(bytes: RowBinaryWriter): (groups: readonly EventGroup[], first: First) => void {
  const kinds = new Map<string, number>();
  return (groups, first) => {
    bytes.count(groups.length);
    for (const group of groups.toSorted((one, other) => (groupKey(one) < groupKey(other) ? -1 : 1))) {
      const key = groupKey(group);
      const known = kinds.get(key);
      bytes.count(known ?? kinds.size);
      if (known === undefined) {
        kinds.set(key, kinds.size);
        addKind(bytes, group);
      }
      bytes.count(group.events);
      bytes.difference(group.firstAt - (first?.at ?? 0));
      if (group.kind.type === "exposure") bytes.string(group.firstId === first?.eventId ? "" : group.firstId);
      if (group.events > 1) bytes.count(group.lastAt - group.firstAt);
      if (!isMarked(group, "reportsCached")) continue;
      bytes.float64(group.inputTokens);
      bytes.float64(group.cachedInputTokens);
    }
  };
}

/** Returns a function that reads what `groupsWriter` appended, unit by unit. */
export function groupsReader(bytes: RowBinaryReader): (first: First) => readonly EventGroup[] {
  const kinds: Kind[] = [];
  return (first) => {
    const groups: EventGroup[] = [];
    for (let left = bytes.count(); left > 0; left--) groups.push(readGroup(bytes, kinds, first));
    return groups;
  };
}

function addKind(bytes: RowBinaryWriter, { kind, marks }: Kind): void {
  bytes.uint8(EVENT_TYPES.indexOf(kind.type));
  bytes.count(marks);
  for (const name of GROUP_TEXTS) bytes.string(kind[name]);
}

function readGroup(bytes: RowBinaryReader, kinds: Kind[], first: First): EventGroup {
  const index = bytes.count();
  kinds[index] ??= readKind(bytes);
  const { kind, marks } = kinds[index];
  const [events, firstAt] = [bytes.count(), bytes.difference() + (first?.at ?? 0)];
  const firstId = kind.type === "exposure" ? bytes.string() || first!.eventId : "";
  const lastAt = events > 1 ? firstAt + bytes.count() : firstAt;
  const reportsCached = isMarked({ marks }, "reportsCached");
  const [inputTokens, cachedInputTokens] = reportsCached ? [bytes.float64(), bytes.float64()] : [0, 0];
  return { kind, marks, events, firstAt, firstId, lastAt, inputTokens, cachedInputTokens };
}

function readKind(bytes: RowBinaryReader): Kind {
  const [type, marks] = [EVENT_TYPES[bytes.uint8()]!, bytes.count()];
  const texts = GROUP_TEXTS.map((name) => [name, bytes.string()] as const);
  return { marks, kind: { type, ...(Object.fromEntries(texts) as Omit<EventKind, "type">) } };
}
