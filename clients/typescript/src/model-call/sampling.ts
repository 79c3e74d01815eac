import { fieldAt } from "./foreign-value.ts";

/** The sampling settings of a request: the name in an event's metadata, and the other names that providers use. */
const SETTINGS = [
  ["temperature"],
  ["top_p", "topP"],
  ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"],
  ["seed"],
] as const;

/** Returns a request's sampling settings, under their names in an event's metadata. */
export function sampling(request: unknown): Record<string, number> {
  const settings: Record<string, number> = {};
  for (const names of SETTINGS)
    for (const name of names) {
      // Google puts them in `config`.
      const value = fieldAt(request, name) ?? fieldAt(request, "config", name);
      if (Number.isFinite(value)) settings[names[0]] = value as number;
    }
  return settings;
}
