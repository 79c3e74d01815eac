import { fieldAt } from "./foreign-value.ts";

/** The settings that say how an answer is sampled: the name in an event's metadata, and other names in the requests of providers. */
const SETTINGS = [
  ["temperature"],
  ["top_p", "topP"],
  ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"],
  ["seed"],
] as const;

/** Returns the sampling settings that a request has, as the names in an event's metadata. */
export function sampling(request: unknown): Record<string, number> {
  const settings: Record<string, number> = {};
  for (const names of SETTINGS)
    for (const name of names) {
      // Google has its own place for them.
      const value = fieldAt(request, name) ?? fieldAt(request, "config", name);
      if (Number.isFinite(value)) settings[names[0]] = value as number;
    }
  return settings;
}
