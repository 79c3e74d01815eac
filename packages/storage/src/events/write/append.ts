import type { StoredEvent } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import { RAW_COLUMNS } from "../schema/schema.ts";
import { type EventKey, loadStoredKeys } from "./stored-ids.ts";

const ROWS_PER_SLICE = 500;
const CHARACTERS_PER_SLICE = 256 * 1024;
/** JSON in UTF-8 takes up to 6 bytes per character, and the embedded engine takes bodies up to 64 MiB. */
const CHARACTERS_PER_INSERT = 8 * 1024 * 1024;
/** More than all of an event's short fields and numbers take. */
const CHARACTERS_BESIDE_TEXT = 4_000;

/**
 * Stores the events that are not stored yet. Two kinds of insert: `raw_events`, which feeds `analysis`, then `event_ids`.
 * One that dies before the last is repeated whole by the next append; equal rows then merge into one.
 */
export async function appendEvents(engine: EngineClient, events: readonly StoredEvent[]): Promise<void> {
  const fresh = await onlyFresh(engine, events);
  if (fresh.length === 0) return;
  await appendUncounted(engine, fresh);
  await engine.insert("event_ids", ["org_id", "event_id", "received_at"], toLines(fresh, toIdRow));
}

/** Stores events without their ids: equal rows merge into one, and nobody counts them. */
export async function appendUncounted(engine: EngineClient, events: readonly StoredEvent[]): Promise<void> {
  for (const part of insertsOf(events)) {
    await engine.insert("raw_events", RAW_COLUMNS, toLines(part, toEventRow));
  }
}

/** Passes over what is stored and what repeats an event before it in the list. */
async function onlyFresh(
  engine: EngineClient,
  events: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const firstByOrg = new Map<string, Map<string, StoredEvent>>();
  const keys: EventKey[] = [];
  for (const event of events) {
    const [orgId, id] = [event.orgId.toWellFormed(), event.eventId.toWellFormed()];
    const firstById = firstByOrg.get(orgId) ?? new Map<string, StoredEvent>();
    if (firstById.has(id)) continue;
    firstByOrg.set(orgId, firstById.set(id, event));
    keys.push([orgId, id]);
  }
  for (const [orgId, id] of await loadStoredKeys(engine, keys)) firstByOrg.get(orgId)?.delete(id);
  return [...firstByOrg.values()].flatMap((firstById) => [...firstById.values()]);
}

/** Splits a list into what one insert may carry: nearly always the whole. */
function* insertsOf(events: readonly StoredEvent[]): Generator<readonly StoredEvent[]> {
  let start = 0;
  let characters = 0;
  for (const [index, { prompt, response, metadata }] of events.entries()) {
    const texts = (prompt?.length ?? 0) + (response?.length ?? 0) + (metadata?.length ?? 0);
    characters += texts + CHARACTERS_BESIDE_TEXT;
    if (characters < CHARACTERS_PER_INSERT) continue;
    yield events.slice(start, index + 1);
    start = index + 1;
    characters = 0;
  }
  if (start < events.length) yield events.slice(start);
}

/** Yields lines in slices, with a turn of the event loop between them. */
async function* toLines(
  events: readonly StoredEvent[],
  toRow: (event: StoredEvent) => readonly unknown[],
): AsyncGenerator<string> {
  let slice = "";
  let rows = 0;
  for (const event of events) {
    slice += `${JSON.stringify(toRow(event))}\n`;
    rows += 1;
    if (rows < ROWS_PER_SLICE && slice.length < CHARACTERS_PER_SLICE) continue;
    yield slice;
    slice = "";
    rows = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (slice !== "") yield slice;
}

function toIdRow({ orgId, eventId, receivedAt }: StoredEvent): readonly unknown[] {
  return [text(orgId), text(eventId), receivedAt];
}

/** Instants go as bare numbers: the engine takes them in the column's own unit, milliseconds. */
function toEventRow(event: StoredEvent): readonly unknown[] {
  return [
    text(event.orgId),
    text(event.experimentId),
    text(event.userId),
    text(event.eventId),
    event.type,
    event.occurredAt,
    event.receivedAt,
    text(event.variant),
    event.latencyMs,
    event.timeToFirstTokenMs,
    event.inputTokens,
    event.outputTokens,
    event.costUsd,
    event.error === null ? null : Number(event.error),
    text(event.businessMetric),
    event.value,
    text(event.model),
    text(event.provider),
    text(event.errorType),
    text(event.metadata),
    text(event.prompt),
    text(event.response),
    event.cachedInputTokens,
    event.reasoningTokens,
    text(event.requestedModel),
    text(event.finishReason),
  ];
}

/** Half a surrogate pair has no UTF-8: the engine would refuse the whole batch. */
function text(value: string | null): string {
  return value === null ? "" : value.toWellFormed();
}
