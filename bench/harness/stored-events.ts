import { randomUUID } from "node:crypto";
import { NO_VALUES, type StoredEvent } from "@assay/domain";

export const ORGS = 100;
let made = 0;

/** An id that sorts after all earlier ones, like a UUIDv7. */
export function timeOrderedId(): string {
  const ms = (Date.now() + 60_000).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${(made++ % 4096).toString(16).padStart(3, "0")}-${randomUUID().slice(19)}`;
}

/** Makes model calls without texts that are received now, for one experiment or for all orgs in turn. */
export function storedEvents(
  count: number,
  nextId: () => string,
  of: Partial<Pick<StoredEvent, "orgId" | "experimentId">> = {},
): readonly StoredEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...NO_VALUES,
    orgId: `0199f3c2-77aa-7c3d-9f10-${String(index % ORGS).padStart(12, "0")}`,
    experimentId: "0199f3c2-77aa-7c3d-9f10-3a5b7c9d1e2f",
    eventId: nextId(),
    type: "model_call",
    userId: `user-${index % 1_000}`,
    occurredAt: Date.now(),
    receivedAt: Date.now(),
    variant: "base",
    latencyMs: 812.4,
    timeToFirstTokenMs: 203.1,
    model: "gpt-4.1-mini-2025-04-14",
    provider: "openai",
    inputTokens: 1204,
    outputTokens: 388,
    costUsd: 0.00184,
    error: false,
    ...of,
  }));
}
