import type { Results } from "../api/types.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Created once: a formatter takes longer to create than a table row to draw.
const UTC = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const SHORT_DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const LOCAL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** Formats an instant in UTC: "22 Nov 2026, 02:15 UTC". */
export function utc(instant: string): string {
  return `${UTC.format(new Date(instant))} UTC`;
}

/** Formats an instant in the reader's time zone, with the zone. */
export function local(instant: string): string {
  return LOCAL.format(new Date(instant));
}

/** Formats a UTC day ("2026-11-22"): "22 Nov 2026". */
export function day(value: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(`${value}T00:00:00Z`),
  );
}

/** Formats an instant's UTC day for the axis of a chart: "22 Nov". */
export function shortDay(at: Date): string {
  return SHORT_DAY.format(at);
}

/** Formats how long ago an instant was, or how far ahead it is: "2 h ago", "in 3 days". */
export function ago(instant: string, now: number): string {
  const distance = now - Date.parse(instant);
  const size = Math.abs(distance);
  if (size < MINUTE) return distance >= 0 ? "just now" : "in a moment";
  const text =
    size < HOUR
      ? `${Math.floor(size / MINUTE)} min`
      : size < 2 * DAY
        ? `${Math.floor(size / HOUR)} h`
        : `${Math.floor(size / DAY)} days`;
  return distance >= 0 ? `${text} ago` : `in ${text}`;
}

/** Returns whether a run's label is that of a manual run (`manual-<instant>`), not a UTC day. */
export function isManual(label: string): boolean {
  return label.startsWith("manual-");
}

/** Formats a run's label for people. */
export function runName(label: string): string {
  return isManual(label) ? `Manual run, ${utc(label.slice("manual-".length))}` : `Night of ${day(label)}`;
}

/** Formats a run's label for people. From the second revision on, it includes the revision. */
export function runTitle({
  computed_for: label,
  revision,
}: Pick<Results, "computed_for" | "revision">): string {
  return revision === 1 ? runName(label) : `${runName(label)}, revision ${revision}`;
}

/** Returns whether a run covers a whole UTC day. Such a night can be run again. */
export function isWholeNight({
  computed_for: label,
  window,
}: Pick<Results, "computed_for" | "window">): boolean {
  return Date.parse(window.to) === Date.parse(label) + DAY;
}

/** Returns the number of the current day since an instant; the first 24 hours are day 1. */
export function dayNumber(since: string, now: number): number {
  return Math.max(1, Math.floor((now - Date.parse(since)) / DAY) + 1);
}
