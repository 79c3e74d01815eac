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

/** The result of `getVariablesDetail`. */
export interface VariablesChoice<Variables extends object> {
  /** Null: control behavior. */
  readonly variant: string | null;
  readonly variables: Variables;
  /** The names of the caller's defaults that `variables` has, in their order. */
  readonly fallback: readonly string[];
}

/** A variable that is left out, because it is not of its default's kind. */
export type OnOtherKind = (name: string, kind: string, defaultKind: string) => void;

/**
 * Overwrites a copy of the defaults with the variant's variables, by top-level keys; nested objects are replaced whole. A variable of
 * another kind than its default is left out, so that the caller gets the types it asked for. Values from the config are copied, so
 * that a caller cannot change the config.
 */
export function variablesOf<Variables extends object>(
  variant: ConfigVariant | null,
  defaults: Variables,
  onOtherKind: OnOtherKind,
): VariablesChoice<Variables> {
  // Both the parser and the spread treat __proto__ as an ordinary key.
  const values = JSON.parse(JSON.stringify(variant?.variables ?? {}));
  const fallback = Object.entries(defaults ?? {}).flatMap(([name, standard]) => {
    if (!Object.hasOwn(values, name)) return [name];
    const [kind, defaultKind] = [kindOf(values[name]), kindOf(standard)];
    if (kind === defaultKind || defaultKind === "null") return [];
    onOtherKind(name, kind, defaultKind);
    delete values[name];
    return [name];
  });
  return { variant: variant?.key ?? null, variables: { ...defaults, ...values }, fallback };
}

/** The kinds of JSON by name; a value that JSON does not have is of a kind that no variable is of. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
