import { randomUUID } from "node:crypto";
import { DAY_MS, type EventStore, type StoredEvent } from "@assay/domain";
import { storedEvent, T0 } from "./stored-event.ts";

export const HOUR_MS = 3_600_000;
/** The first instant of the judged day. */
export const MIDNIGHT = T0 - 12 * HOUR_MS;

/** Creates a call with an answer. */
export const callOf = (overrides: Partial<StoredEvent> = {}): Partial<StoredEvent> => ({
  ...{ type: "model_call", userId: "u", variant: "a", response: "an answer", occurredAt: T0 },
  ...overrides,
});

/** Creates an exposure of the same user on the day before. */
export const exposureOf = (overrides: Partial<StoredEvent> = {}): Partial<StoredEvent> => ({
  ...{ userId: "u", variant: "a", occurredAt: MIDNIGHT - DAY_MS },
  ...overrides,
});

/** Stores the events in a new org. */
export async function appendTo(store: EventStore, events: readonly Partial<StoredEvent>[]) {
  const orgId = randomUUID();
  const stored = events.map((event) => storedEvent({ orgId, receivedAt: event.occurredAt ?? T0, ...event }));
  await store.append(stored);
  return { orgId, stored };
}
