import { randomUUID } from "node:crypto";
import { type EventType, NO_VALUES, type StoredEvent, VALUE_FIELDS } from "@assay/domain";

/** Noon of a day in the middle of a month, UTC: where the tests' time begins. */
export const T0 = Date.UTC(2026, 2, 10, 12);

/** Makes a complete event out of the fields a test is about; ids are fresh unless given. */
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

/** Makes an event of a type with every value that the table of fields gives it. */
export function wholeEvent(type: EventType, fields: Partial<StoredEvent> = {}): StoredEvent {
  const values = VALUE_FIELDS.filter(({ of = type }) => of === type).map(({ property, name, kind }, i) => [
    property,
    { name, number: i + 0.25, boolean: true, text: `語 of ${name}`, object: `{"in":"${name}"}` }[kind],
  ]);
  return storedEvent({ type, ...Object.fromEntries(values), ...fields });
}

/** When no other test receives events: a sweep of that day has only the test's own rows to write anew. */
export const LONG_AGO = T0 - 900 * 86_400_000;
