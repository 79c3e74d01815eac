import type { Experiment, Wire } from "../api/types.ts";

type Key = Wire<"KeySummary">;

/** Finds the publishable key if web pages use it, or are allowed to by name; null otherwise. */
export function browserKey(keys: readonly Key[]): Key | null {
  const key = keys.find(({ scope }) => scope === "publishable");
  if (key === undefined) return null;
  return key.last_browser_use_at === null && key.allowed_origins === null ? null : key;
}

/** Returns whether the publishable key reads prompts or variables of the experiment now. */
export function showsPrompts({
  status,
  visibility,
  variants,
  flag_key: flag,
  is_demo: isDemo,
}: Experiment): boolean {
  const isHandedOut = (status === "running" || status === "shipped") && !flag;
  if (!isHandedOut || visibility === "server" || isDemo) return false;
  return (variants ?? []).some(({ prompt, variables }) => prompt != null || variables != null);
}
