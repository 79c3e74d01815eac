import { fieldAt } from "./foreign-value.ts";

/** The settings that say how an answer is sampled, by their names in the requests of all providers. */
const SETTINGS = {
  temperature: "temperature",
  top_p: "top_p",
  topP: "top_p",
  max_tokens: "max_tokens",
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  maxOutputTokens: "max_tokens",
  seed: "seed",
} as const;

/** Returns the sampling settings that a request has, as the names in an event's metadata. */
export function sampling(request: unknown): Record<string, number> {
  const settings: Record<string, number> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    // Google has its own place for them.
    const value = fieldAt(request, name) ?? fieldAt(request, "config", name);
    if (typeof value === "number" && Number.isFinite(value)) settings[setting] = value;
  }
  return settings;
}
