import type { Wire } from "../../../../api/types.ts";
import { count, counted } from "../../../../format/numbers.ts";
import { utc } from "../../../../format/times.ts";

export type Exclusion = Wire<"Exclusion">;
export type ExclusionMatch = Wire<"ExclusionMatch">;
export type ExclusionPreview = Wire<"ExclusionPreview">;

/** Ids that are written out; of a longer list the first ones. */
const SHOWN_IDS = 3;

/** Says which events a match sets aside; all parts must hold. */
export function matchInWords(match: ExclusionMatch): string {
  const parts = [
    idsInWords("user", match.user_ids),
    idsInWords("event", match.event_ids),
    named("source", match.source),
    named("key", match.key_prefix),
    named("client", match.client),
    named("variant", match.variant),
    named("metric", match.business_metric),
    rangeInWords(match),
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

function idsInWords(noun: string, ids: readonly string[] | undefined): string | null {
  if (ids === undefined) return null;
  if (ids.length === 0) return `${noun}s that were erased`;
  const shown = ids.slice(0, SHOWN_IDS).join(", ");
  const more = ids.length > SHOWN_IDS ? ` and ${count(ids.length - SHOWN_IDS)} more` : "";
  return `${noun}${ids.length === 1 ? "" : "s"} ${shown}${more}`;
}

const named = (noun: string, value: string | undefined) => (value === undefined ? null : `${noun} ${value}`);

function rangeInWords({ from, to }: ExclusionMatch): string | null {
  if (from !== undefined && to !== undefined) return `from ${utc(from)} to before ${utc(to)}`;
  if (from !== undefined) return `from ${utc(from)} on`;
  return to === undefined ? null : `before ${utc(to)}`;
}

/** Sums up a dry run in one sentence. */
export function previewInWords({ arms }: ExclusionPreview): string {
  const sum = (of: (arm: ExclusionPreview["arms"][number]) => number) =>
    arms.reduce((total, arm) => total + of(arm), 0);
  const events = sum((arm) => arm.removed_events);
  if (events === 0) return "No stored event matches. Events that come later would still be set aside.";
  const users = sum((arm) => arm.affected_users);
  return `Sets aside ${counted(events, "event")} of ${counted(users, "exposed user")}.`;
}
