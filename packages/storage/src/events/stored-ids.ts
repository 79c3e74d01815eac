import type { EngineClient } from "./engine-client.ts";
import { parameterChunks } from "./parameter-chunks.ts";

/** What makes an event unique. */
export type EventKey = readonly [orgId: string, eventId: string];

/** Tells which of the events are stored; the answer may hold pairs nobody asked for, when orgs share ids. */
export async function loadStoredKeys(
  engine: EngineClient,
  keys: readonly EventKey[],
): Promise<readonly EventKey[]> {
  const stored: EventKey[] = [];
  for (const chunk of parameterChunks(keys, (key) => key)) {
    const rows = await engine.rows<EventKey>(
      `SELECT org_id, event_id FROM event_ids
       WHERE org_id IN {orgIds: Array(String)} AND event_id IN {ids: Array(String)}`,
      { orgIds: [...new Set(chunk.map(([orgId]) => orgId))], ids: chunk.map(([, id]) => id) },
    );
    for (const key of rows) stored.push(key);
  }
  return stored;
}
