import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import type { Assignment } from "./core-client.ts";
import { isText } from "./fields.ts";
import { findVariantOf } from "./find-variant-of.ts";

const parsed = new WeakMap<object, ConfigSnapshot | null>();

/**
 * Finds a user's variant in a `configSnapshot()` without a client: what a page rendered with that config shows. Null in
 * the same cases as `findAssignment`, and when the config is missing or malformed. Never throws.
 */
export function findAssignmentIn(config: unknown, experiment: string, user: string): Assignment | null {
  if (typeof config !== "object" || config === null || !isText(user)) return null;
  if (!parsed.has(config)) parsed.set(config, parseConfig(config));
  const found = parsed.get(config)?.experiments.get(experiment);
  const variant = found ? findVariantOf(found, user) : null;
  return found && variant ? { experimentId: found.id, variant } : null;
}
