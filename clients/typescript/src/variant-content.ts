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
  // Neither the parser nor the spread takes a key named __proto__ for more than a key.
  return { ...defaults, ...JSON.parse(JSON.stringify(variant?.variables ?? {})) };
}
