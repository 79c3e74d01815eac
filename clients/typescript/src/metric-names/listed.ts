import type { ConfigExperiment } from "../config-snapshot.ts";
import type { EventPayload, EventType } from "../event-row.ts";

/** Names may come from the application's data, and the log remembers each message. */
const MAX_NAMES = 100;
const LONGEST = 500;

/** The names that each client has warned about. */
const warnings = new WeakMap<object, Set<string>>();

interface Warning {
  warn(message: string): void;
}

/** Warns once per name about a business event that no metric of its experiment reads. Never throws. */
export const checkName = (
  client: Warning,
  event: EventType,
  payload: EventPayload,
  experiment: ConfigExperiment | undefined,
): void => {
  try {
    if (event === "business_event") check(client, payload, experiment?.business_metrics);
  } catch {
    // The payload has a getter that throws. The event is still sent or dropped as usual.
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
