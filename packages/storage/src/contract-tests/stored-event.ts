import { randomUUID } from "node:crypto";
import {
  type EventsOfUnits,
  type EventType,
  NO_VALUES,
  type StoredEvent,
  typesOf,
  VALUE_FIELDS,
} from "@assay/domain";

/** Start time of the tests: noon UTC of a day in the middle of a month. */
export const T0 = Date.UTC(2026, 2, 10, 12);

/** Creates a complete event from the fields a test cares about; ids are new unless given. */
export function storedEvent(fields: Partial<StoredEvent>): StoredEvent {
  return {
    orgId: "org",
    experimentId: "exp",
    eventId: randomUUID(),
    type: "exposure",
    userId: "user",
    occurredAt: T0,
    receivedAt: T0 + 1_000,
    ...NO_VALUES,
    ...fields,
  };
}

/** An experiment without exclusions. */
export function wholeExperiment(orgId: string, experimentId = "exp"): EventsOfUnits {
  return { orgId, experimentId, exclusions: [], unit: "user" };
}

/** Creates an event of a type with a value for every field of that type. */
export function wholeEvent(type: EventType, fields: Partial<StoredEvent> = {}): StoredEvent {
  const values = VALUE_FIELDS.filter((field) => typesOf(field).includes(type)).map(
    ({ property, name, kind }, i) => [
      property,
      {
        ...{ name, reference: `${name} of it`, number: i + 0.25, boolean: true },
        ...{ text: `語 of ${name}`, object: `{"in":"${name}"}` },
      }[kind],
    ],
  );
  return storedEvent({ type, ...Object.fromEntries(values), ...fields });
}

/** A time when no other test receives events, so that a sweep of that day rewrites only the test's own rows. */
export const LONG_AGO = T0 - 900 * 86_400_000;
