import { type Day, parseDay, toInstant } from "./day.ts";

/** The name of a run: a UTC day (nightly) or `manual-<ISO instant>` (preliminary). Spec §3. */
export type RunLabel =
  | { readonly kind: "nightly"; readonly day: Day }
  | { readonly kind: "manual"; readonly at: number };

const MANUAL_PREFIX = "manual-";

/** Formats the label for the wire. */
export function formatRunLabel(label: RunLabel): string {
  return label.kind === "nightly" ? label.day : MANUAL_PREFIX + toInstant(label.at);
}

/** Parses a label from the wire; null when it is neither a day nor `manual-<ISO instant>`. */
export function parseRunLabel(text: string): RunLabel | null {
  const day = parseDay(text);
  if (day !== null) return { kind: "nightly", day };
  if (!text.startsWith(MANUAL_PREFIX)) return null;
  const instant = text.slice(MANUAL_PREFIX.length);
  const at = Date.parse(instant);
  return Number.isNaN(at) || toInstant(at) !== instant ? null : { kind: "manual", at };
}
