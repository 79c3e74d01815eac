import type { EngineClient } from "./engine-client.ts";

/** What makes an event unique. */
export type EventKey = readonly [orgId: string, eventId: string];

/** A server refuses a form field above 128 KiB. */
const BYTES_PER_QUERY = 120_000;

/** Tells which of the events are stored; the answer may hold pairs nobody asked for, when orgs share ids. */
export async function loadStoredKeys(
  engine: EngineClient,
  keys: readonly EventKey[],
): Promise<readonly EventKey[]> {
  const stored: EventKey[] = [];
  for (const chunk of chunksOf(keys)) {
    const rows = await engine.rows<EventKey>(
      `SELECT org_id, event_id FROM event_ids
       WHERE org_id IN {orgIds: Array(String)} AND event_id IN {ids: Array(String)}`,
      { orgIds: [...new Set(chunk.map(([orgId]) => orgId))], ids: chunk.map(([, id]) => id) },
    );
    for (const key of rows) stored.push(key);
  }
  return stored;
}

function* chunksOf(keys: readonly EventKey[]): Generator<readonly EventKey[]> {
  let chunk: EventKey[] = [];
  let bytes = 0;
  for (const key of keys) {
    // Each array must fit: the larger of the two counts.
    const size = Math.max(sentBytes(key[0]), sentBytes(key[1]));
    if (bytes + size > BYTES_PER_QUERY) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(key);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** At most what an id takes in a parameter: quotes, a comma, and a backslash before any byte outside the usual. */
function sentBytes(id: string): number {
  return 3 + (/^[\w-]*$/.test(id) ? id.length : 2 * Buffer.byteLength(id));
}
