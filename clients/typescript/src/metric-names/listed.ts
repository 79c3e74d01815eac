import type { ConfigExperiment } from "../config-snapshot.ts";
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
 * Warns, once for each name, of a business event that no metric of its experiment reads. Never throws.
 */
export const checkName = (
  client: Warning,
  event: EventType,
  payload: EventPayload,
  experiment: ConfigExperiment | undefined,
): void => {
  try {
    if (event === "business_event") check(client, payload, experiment?.business_metrics);
  } catch {
    // A getter of the caller's payload: the event is sent or dropped as ever.
  }
};

function check(client: Warning, payload: EventPayload, listed: unknown): void {
  const { experiment_id: experiment, business_metric: name } = payload;
  if (!Array.isArray(listed) || typeof name !== "string" || listed.includes(name)) return;
  const said = warnings.get(client) ?? new Set();
  warnings.set(client, said);
  if (said.size >= MAX_NAMES) return;
  const message = `${experiment}: no metric reads the business_metric ${name}`.slice(0, LONGEST);
  said.add(message);
  client.warn(message);
}
