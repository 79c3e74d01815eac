import type { ConfigVariant } from "./config-snapshot.ts";

/** The result of `getPrompt`. */
export interface PromptChoice {
  /** Null: control behavior. */
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
 * Overwrites a copy of the defaults with the variant's variables, by top-level keys, including null and
 * nested objects. Values from the config are copied, so that a caller cannot change the config.
 */
export function variablesOf<Variables extends object>(
  variant: ConfigVariant | null,
  defaults: Variables,
): Variables {
  // Both the parser and the spread treat __proto__ as an ordinary key.
  return { ...defaults, ...JSON.parse(JSON.stringify(variant?.variables ?? {})) };
}
