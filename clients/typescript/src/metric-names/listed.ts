import type { ConfigSnapshot } from "../config-snapshot.ts";
import type { EventPayload, EventType } from "../event-row.ts";

/** A name may come from data, and the log remembers what it said. */
const MAX_NAMES = 100;
const LONGEST = 500;

/** By client, what it warned of. */
const warnings = new WeakMap<object, Set<string>>();

interface Warning {
  warn(message: string): void;
}

/**
 * Warns, once for each name, of a business event that no metric of its experiment reads. Returns the payload of the event. Never throws.
 */
export const checkName = (
  client: Warning,
  event: EventType,
  payload: EventPayload,
  config: ConfigSnapshot | null,
): EventPayload => {
  try {
    if (event === "business_event") check(client, payload, config);
  } catch {
    // A getter of the caller's payload: the event is sent or dropped as ever.
  }
  return payload;
};

function check(client: Warning, payload: EventPayload, config: ConfigSnapshot | null): void {
  const { experiment_id: experiment, business_metric: name } = payload;
  const listed = config?.experiments.get(experiment)?.business_metrics;
  if (!Array.isArray(listed) || typeof name !== "string" || listed.includes(name)) return;
  const said = warnings.get(client) ?? new Set();
  warnings.set(client, said);
  if (said.size >= MAX_NAMES) return;
  const message = `${experiment}: no metric reads the business_metric ${name}`.slice(0, LONGEST);
  said.add(message);
  client.warn(message);
}
