import type { ConfigVariant } from "./config-snapshot.ts";

/** What `getPrompt` answers. */
export interface PromptChoice {
  /** Null: control behaviour. */
  readonly variant: string | null;
  readonly prompt: string;
  /** True when `prompt` is the caller's default. */
  readonly fallback: boolean;
}

/** Chooses the variant's prompt, or the default when there is none; an empty prompt is one. */
export function promptOf(variant: ConfigVariant | null, defaultPrompt: string): PromptChoice {
  const prompt = variant?.prompt ?? null;
  return {
    variant: variant?.key ?? null,
    prompt: prompt ?? defaultPrompt,
    fallback: prompt === null,
  };
}

/**
 * Lays the variant's variables over a copy of the defaults: its top-level keys replace theirs, null and nested objects
 * included. What comes from the config is copied, so that a caller who changes it does not change the config.
 */
export function variablesOf<Variables extends object>(
  variant: ConfigVariant | null,
  defaults: Variables,
): Variables {
  const merged: object = { ...defaults };
  for (const [key, value] of Object.entries(variant?.variables ?? {})) {
    const copy = typeof value === "object" && value !== null ? JSON.parse(JSON.stringify(value)) : value;
    // A plain assignment to a key named __proto__ would be lost.
    Object.defineProperty(merged, key, { value: copy, writable: true, enumerable: true, configurable: true });
  }
  return merged as Variables;
}
