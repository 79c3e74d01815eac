import type { ConfigVariant } from "./config-snapshot.ts";

/** The result of `getPrompt`. */
export interface PromptChoice {
  /** Null: control behavior. */
  readonly variant: string | null;
  readonly prompt: string;
  /** True when `prompt` is the caller's default. */
  readonly fallback: boolean;
}

/** Chooses the variant's prompt, or the default when there is none. An empty prompt counts as a prompt. */
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
  /** The names of the caller's defaults that `variables` contains, in their order. */
  readonly fallback: readonly string[];
}

/** Called for a variable that is left out because its type differs from its default's. */
export type OnOtherKind = (name: string, kind: string, defaultKind: string) => void;

/**
 * Overwrites a copy of the defaults with the variant's variables, by top-level keys; nested objects are replaced whole.
 * Leaves out a variable whose type differs from its default's, so that the caller gets the expected types. Values from
 * the config are copied, so that a caller cannot change the config.
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

/** The name of a value's JSON type. A value that JSON cannot hold has a type that no variable has. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
