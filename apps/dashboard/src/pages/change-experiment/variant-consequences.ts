import type { Experiment } from "../../api/types.ts";
import { type Change, configOf } from "./change-of.ts";
import { type Consequence, KEEP, NOBODY_YET, NOTHING, whoFollows } from "./consequence.ts";

type SentVariant = NonNullable<Change["variants"]>[number];

/** Lists what changed variants and a changed control do to users. */
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
          : "If any user may have it, the service refuses to remove it. Disable it instead.",
      later: "Do not get it.",
    })),
    ...(change.control === undefined || change.control === before.control
      ? []
      : [{ change: `Control: ${before.control} → ${change.control}`, present: NOTHING, later: COMPARED }]),
  ];
}

const COMPARED = "No change. From the next run on, every comparison is with the new control.";

function addedRow(key: string, base: Experiment, change: Change): Consequence {
  const { present, later } = whoFollows(base, change);
  return {
    change: `${key} is new`,
    present: base.status === "draft" ? present : `${KEEP} None of them moves to ${key}.`,
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
        : `All users of ${now.key} get it with your application's next config poll.`,
      later: isDraft
        ? "Get it from the start."
        : "Get it too. Results combine users of the old and the new text. For a clean comparison, create a new experiment.",
    });
  }
  if (was.description !== now.description)
    rows.push({ change: `${now.key}: description`, present: NOTHING, later: NOTHING });
  return rows;
}

function enabledRow({ key, enabled }: SentVariant, isDraft: boolean): Consequence {
  if (enabled === false) {
    return {
      change: `${key} is disabled`,
      present: isDraft
        ? NOBODY_YET
        : `Users of ${key} get control behavior from the next config poll on. They keep their bucket: when you enable it again, they get ${key} again.`,
      later: `Users whose bucket belongs to ${key} get control behavior. Its buckets go to no other variant.`,
    };
  }
  return {
    change: `${key} is enabled`,
    present: isDraft ? NOBODY_YET : `Users of ${key} get it again with the next config poll.`,
    later: `Users whose bucket belongs to ${key} get it.`,
  };
}
