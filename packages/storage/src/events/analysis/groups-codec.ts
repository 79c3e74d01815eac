import { EVENT_TYPES } from "@assay/domain";
import type { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import { type EventGroup, GROUP_TEXTS, groupKey } from "./event-groups.ts";
import type { EventKind } from "./event-kind.ts";

type Kind = Pick<EventGroup, "kind" | "marks">;

/** Returns a function that appends a unit's groups. Equal groups are equal bytes, in whatever steps they were added up. */
export function groupsWriter(bytes: RowBinaryWriter): (groups: readonly EventGroup[]) => void {
  const kinds = new Map<string, number>();
  return (groups) => {
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
      bytes.float64(group.firstAt);
      bytes.string(group.firstId);
      if (group.events > 1) bytes.float64(group.lastAt);
      if (group.kind.type !== "model_call") continue;
      bytes.float64(group.inputTokens);
      bytes.float64(group.cachedInputTokens);
    }
  };
}

/** Returns a function that reads what `groupsWriter` appended, unit by unit. */
export function groupsReader(bytes: RowBinaryReader): () => readonly EventGroup[] {
  const kinds: Kind[] = [];
  return () => {
    const groups: EventGroup[] = [];
    for (let left = bytes.count(); left > 0; left--) groups.push(readGroup(bytes, kinds));
    return groups;
  };
}

function addKind(bytes: RowBinaryWriter, { kind, marks }: Kind): void {
  bytes.uint8(EVENT_TYPES.indexOf(kind.type));
  bytes.count(marks);
  for (const name of GROUP_TEXTS) bytes.string(kind[name]);
}

function readGroup(bytes: RowBinaryReader, kinds: Kind[]): EventGroup {
  const index = bytes.count();
  kinds[index] ??= readKind(bytes);
  const { kind, marks } = kinds[index];
  const [events, firstAt, firstId] = [bytes.count(), bytes.float64(), bytes.string()];
  const lastAt = events > 1 ? bytes.float64() : firstAt;
  const [inputTokens, cachedInputTokens] =
    kind.type === "model_call" ? [bytes.float64(), bytes.float64()] : [0, 0];
  return { kind, marks, events, firstAt, firstId, lastAt, inputTokens, cachedInputTokens };
}

function readKind(bytes: RowBinaryReader): Kind {
  const [type, marks] = [EVENT_TYPES[bytes.uint8()]!, bytes.count()];
  const texts = GROUP_TEXTS.map((name) => [name, bytes.string()] as const);
  return { marks, kind: { type, ...(Object.fromEntries(texts) as Omit<EventKind, "type">) } };
}
