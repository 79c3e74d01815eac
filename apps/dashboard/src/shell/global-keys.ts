import type { ListedKeys } from "../ui/listed-keys.ts";

/** Pages that G and another key open. */
const PLACES = [
  { key: "e", to: "/", label: "Experiments" },
  { key: "c", to: "/calls", label: "Calls" },
  { key: "j", to: "/judges", label: "Judges" },
  { key: "m", to: "/catalogue", label: "Metrics" },
  { key: "u", to: "/usage", label: "Usage & plan" },
  { key: "a", to: "/audit", label: "Audit" },
  { key: "s", to: "/settings", label: "Settings" },
] as const;

/** A later key stands for itself. */
const WAIT_MS = 1_500;

export interface PressedKey {
  readonly key: string;
  /** Milliseconds. */
  readonly at: number;
  /** No field, dialog or shortcut of the browser uses the key. */
  readonly isFree: boolean;
}

type Place = (typeof PLACES)[number]["to"];

export interface HeardKey {
  /** When G was pressed; null: the next key stands for itself. */
  readonly gAt: number | null;
  readonly does: { readonly kind: "go"; readonly to: Place } | { readonly kind: "list" } | null;
}

/** Returns what a key does after the G that was pressed at `gAt`. */
export function hearKey(gAt: number | null, { key, at, isFree }: PressedKey): HeardKey {
  if (!isFree) return { gAt: null, does: null };
  if (key === "?") return { gAt: null, does: { kind: "list" } };
  const letter = key.toLowerCase();
  const isAfterG = gAt !== null && at - gAt <= WAIT_MS;
  const place = isAfterG ? PLACES.find((one) => one.key === letter) : undefined;
  if (place !== undefined) return { gAt: null, does: { kind: "go", to: place.to } };
  return { gAt: letter === "g" ? at : null, does: null };
}

/** The keys that work on every page. */
export const EVERYWHERE: ListedKeys = {
  title: "On every page",
  rows: [
    ...PLACES.map(({ key, label }) => [`G ${key.toUpperCase()}`, `Go to ${label}`] as const),
    ["/", "Search or go to (Ctrl K or ⌘K works in a field, too)"],
    ["?", "Show the keyboard shortcuts"],
  ],
};
