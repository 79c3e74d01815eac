import type { RawEvent } from "../event/check-event.ts";
import { TEST_USER_PREFIX } from "../event/event.ts";
import { type EventSource, isPublic } from "../event/sources.ts";
import { parseTimestamp } from "../event/timestamp.ts";
import { subjectOf, unitMissing } from "../experiment/unit.ts";
import { DAY_MS } from "../time/day.ts";
import type { Timeline } from "./timeline.ts";

/** Exposures more than this many days older than their experiment are accepted by import only. */
export const BACK_DATED_DAYS = 30;

/** Why an experiment refuses a row. */
export interface RowRefusal {
  readonly reason: "unknown_variant" | "invalid";
  /** One sentence that says what to do. */
  readonly detail: string;
}

/**
 * Returns why an experiment refuses a row that has passed `checkEvent`; null if it accepts the row. `createdAt` is in epoch
 * milliseconds.
 */
export function refusalOf(
  row: RawEvent,
  {
    timeline,
    createdAt,
    flagKey,
    source,
  }: {
    readonly timeline: Timeline;
    readonly createdAt: number;
    /** The flag of another system that assigns the variants. */
    readonly flagKey: string | null;
    readonly source: EventSource;
  },
): RowRefusal | null {
  const { variant } = row;
  if (typeof variant === "string" && variant !== "" && !timeline.variants.has(variant))
    return { reason: "unknown_variant", detail: unknownVariant(variant, timeline.variants) };
  if (
    flagKey !== null &&
    row.type === "exposure" &&
    (variant === undefined || variant === null || variant === "")
  )
    return invalid(
      `variant is missing: the flag "${flagKey}" assigns this experiment's variants, so an exposure must name the one that it returned.`,
    );
  const { unit } = timeline;
  if (subjectOf(unit, String(row.user_id), row.unit_id) === null) return invalid(unitMissing(unit));
  if (source !== "test" && String(row.user_id).startsWith(TEST_USER_PREFIX))
    return invalid(
      `user_id must not begin with ${TEST_USER_PREFIX}: such ids are reserved for the experiment's test events. To mark your own event as a test, send "metadata": {"assay_test": true}.`,
    );
  if (isPublic(source) && typeof row.sampling_probability === "number")
    return invalid(
      "sampling_probability is accepted with a secret key only, because anybody could make one event count for many: leave it out, or send the event from your server.",
    );
  if (source !== "import" && row.type === "exposure" && isBackDated(row, createdAt))
    return invalid(
      `timestamp is more than ${BACK_DATED_DAYS} days before the experiment was created: send such history to /v1/events/import.`,
    );
  return null;
}

function invalid(detail: string): RowRefusal {
  return { reason: "invalid", detail };
}

function isBackDated({ timestamp }: RawEvent, createdAt: number): boolean {
  const at = parseTimestamp(timestamp);
  return at !== null && at < createdAt - BACK_DATED_DAYS * DAY_MS;
}

const MAX_LISTED = 10;

function unknownVariant(variant: string, known: ReadonlySet<string>): string {
  const keys = [...known].slice(0, MAX_LISTED).map((key) => `"${key}"`);
  const more = known.size > MAX_LISTED ? ` and ${known.size - MAX_LISTED} more` : "";
  const nearest = nearestOf(variant, known);
  const hint = nearest === null ? "" : ` Did you mean "${nearest}"?`;
  return `variant must be one of ${keys.join(", ")}${more}.${hint}`;
}

/** Longer names are only compared ignoring case, because computing the distance takes time in proportion to both lengths. */
const MAX_COMPARED = 32;
const MAX_TYPOS = 2;

/** Returns the name closest to what was written. It may differ in case and by at most two typos. Null: none is close. */
export function nearestOf(written: string, names: Iterable<string>): string | null {
  const lower = written.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | null = null;
  for (const name of names) {
    const distance = distanceOf(lower, name.toLowerCase());
    if (distance <= MAX_TYPOS && distance < name.length && distance < (best?.distance ?? Infinity))
      best = { name, distance };
  }
  return best?.name ?? null;
}

/** Levenshtein distance; infinite for names that are too long, or too different in length, to be a typo. */
function distanceOf(one: string, other: string): number {
  if (one === other) return 0;
  if (Math.max(one.length, other.length) > MAX_COMPARED) return Number.POSITIVE_INFINITY;
  if (Math.abs(one.length - other.length) > MAX_TYPOS) return Number.POSITIVE_INFINITY;
  let before = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = before[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, before[column]! + 1, current[column - 1]! + 1));
    }
    before = current;
  }
  return before[other.length]!;
}
