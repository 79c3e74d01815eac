import { type ConfigSnapshot, parseConfig } from "./config-snapshot.ts";
import type { Assignment } from "./core-client.ts";
import { isId } from "./fields.ts";
import { findVariantOf } from "./find-variant-of.ts";
import { type Subject, userOf } from "./subject.ts";

const parsed = new WeakMap<object, ConfigSnapshot | null>();

/**
 * Finds a user's variant in a `configSnapshot()` without a client, for example to render a page with that config. Null
 * in the same cases as `findAssignment`, and when the config is missing or malformed. Never throws.
 */
export function findAssignmentIn(
  config: unknown,
  experiment: string,
  subject: string | Subject,
): Assignment | null {
  const user = userOf(subject);
  if (typeof config !== "object" || config === null || !isId(user)) return null;
  if (!parsed.has(config)) parsed.set(config, parseConfig(config));
  const found = parsed.get(config)?.experiments.get(experiment);
  const named = found?.unit && (subject as Subject).unit;
  const unit = isId(named) ? named : undefined;
  const variant = found && (!found.unit || unit) ? findVariantOf(found, user, unit) : null;
  return found && variant ? { experimentId: found.id, variant, unit } : null;
}
