import { EVENT_TYPES } from "@assay/domain";
import { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import type { Codec } from "../units/unit-states.ts";
import { type EventGroup, GROUP_TEXTS, groupKey } from "./event-groups.ts";

/** A unit with its events, in groups of equal ones. */
export interface GroupedUnit {
  readonly hash: bigint;
  readonly groups: readonly EventGroup[];
}

/** What groups of several units have in common. */
type Kind = Pick<EventGroup, "type" | "marks" | (typeof GROUP_TEXTS)[number]>;

/** Writes and reads units with their groups. Equal units are equal bytes, in whatever steps they were added up. */
export const groupsCodec: Codec<GroupedUnit> = {
  layout: 1,
  writer() {
    const bytes = new RowBinaryWriter();
    const kinds = new Map<string, number>();
    return {
      add({ hash, groups }) {
        bytes.uint64(hash);
        bytes.count(groups.length);
        const byKey = groups.map((group) => [groupKey(group), group] as const);
        for (const [key, group] of byKey.sort(([one], [other]) => (one < other ? -1 : 1))) {
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
          if (group.type === "model_call")
            for (const tokens of [group.inputTokens, group.cachedInputTokens]) bytes.float64(tokens);
        }
      },
      finish: () => bytes.finish(),
    };
  },
  read(buffer) {
    const bytes = new RowBinaryReader(buffer);
    const kinds: Kind[] = [];
    const units: GroupedUnit[] = [];
    while (!bytes.isAtEnd()) {
      const hash = bytes.uint64();
      const groups = Array.from({ length: bytes.count() }, () => readGroup(bytes, kinds));
      units.push({ hash, groups });
    }
    return units;
  },
};

function addKind(bytes: RowBinaryWriter, group: EventGroup): void {
  bytes.uint8(EVENT_TYPES.indexOf(group.type));
  bytes.count(group.marks);
  for (const name of GROUP_TEXTS) bytes.string(group[name]);
}

function readGroup(bytes: RowBinaryReader, kinds: Kind[]): EventGroup {
  const index = bytes.count();
  kinds[index] ??= readKind(bytes);
  const kind = kinds[index];
  const [events, firstAt, firstId] = [bytes.count(), bytes.float64(), bytes.string()];
  const lastAt = events > 1 ? bytes.float64() : firstAt;
  const [inputTokens, cachedInputTokens] =
    kind.type === "model_call" ? [bytes.float64(), bytes.float64()] : [0, 0];
  return { ...kind, events, firstAt, firstId, lastAt, inputTokens, cachedInputTokens };
}

function readKind(bytes: RowBinaryReader): Kind {
  const [type, marks] = [EVENT_TYPES[bytes.uint8()]!, bytes.count()];
  const texts = GROUP_TEXTS.map((name) => [name, bytes.string()] as const);
  return { type, marks, ...(Object.fromEntries(texts) as Pick<EventGroup, (typeof GROUP_TEXTS)[number]>) };
}
