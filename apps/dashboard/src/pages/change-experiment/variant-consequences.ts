import type { Experiment } from "../../api/types.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, KEEP, NOBODY_YET, NOTHING, whoFollows } from "./consequence.ts";

type SentVariant = NonNullable<Change["variants"]>[number];

/** Says what changed variants and another control do to users. */
export function variantConsequences(base: Experiment, change: Change): readonly Consequence[] {
  const before = configOf(base);
  const old = new Map((before.variants ?? []).map((variant) => [variant.key, variant]));
  const after = change.variants ?? before.variants ?? [];
  const keys = new Set(after.map(({ key }) => key));
  const removed = [...old.keys()].filter((key) => !keys.has(key));
  return [
    ...after.flatMap((variant) => {
      const was = old.get(variant.key);
      return was === undefined ? [addedRow(variant.key, base, change)] : rowsOf(was, variant, base);
    }),
    ...removed.map((key) => ({
      change: `${key} is removed`,
      present:
        base.status === "draft"
          ? NOBODY_YET
          : "If anybody may have it, the service refuses: switch it off instead.",
      later: "Nobody gets it.",
    })),
    ...(change.control === undefined || change.control === before.control
      ? []
      : [{ change: `Control: ${before.control} → ${change.control}`, present: NOTHING, later: COMPARED }]),
  ];
}

const COMPARED = "Nothing changes for them. From the next run on, every comparison is with the new control.";

function addedRow(key: string, base: Experiment, change: Change): Consequence {
  const { present, later } = whoFollows(base, change);
  return {
    change: `${key} is new`,
    present: base.status === "draft" ? present : `${KEEP} Nobody moves to ${key}.`,
    later,
  };
}

function rowsOf(was: SentVariant, now: SentVariant, { status }: Experiment): readonly Consequence[] {
  const isDraft = status === "draft";
  const rows: Consequence[] = [];
  if (was.enabled !== now.enabled) rows.push(enabledRow(now, isDraft));
  const parts = [
    ...(was.prompt === now.prompt ? [] : ["prompt"]),
    ...(JSON.stringify(was.variables) === JSON.stringify(now.variables) ? [] : ["variables"]),
  ];
  if (parts.length > 0) {
    rows.push({
      change: `${now.key}: new ${parts.join(" and ")}`,
      present: isDraft
        ? NOBODY_YET
        : `All users of ${now.key} get it at their application's next config poll.`,
      later: isDraft
        ? "Get it from the start."
        : "Get it too. Results put users of the old and of the new text together: for a clean comparison, create a new experiment.",
    });
  }
  if (was.description !== now.description)
    rows.push({ change: `${now.key}: description`, present: NOTHING, later: NOTHING });
  return rows;
}

function enabledRow({ key, enabled }: SentVariant, isDraft: boolean): Consequence {
  if (enabled === false) {
    return {
      change: `${key} is switched off`,
      present: isDraft
        ? NOBODY_YET
        : `Users of ${key} get control behaviour from the next config poll. They keep their place: switched on again, they have ${key} again.`,
      later: `Whoever belongs to ${key} gets control behaviour, too. Nobody else gets its place.`,
    };
  }
  return {
    change: `${key} is switched on`,
    present: isDraft ? NOBODY_YET : `Users of ${key} get it again at the next config poll.`,
    later: `Whoever belongs to ${key} gets it.`,
  };
}
