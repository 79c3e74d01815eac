import { DAY_MS, FUTURE_TOLERANCE_MS, isPublic, type StoredEvent } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";
import { idBits } from "../sql/id-bits.ts";

/** The unique key of an event within a class of senders. */
export type EventKey = readonly [orgId: string, eventId: string];

/** A stored id and the class of its sender. */
export type StoredKey = readonly [...EventKey, isPublic: 0 | 1];

/** Ids to look up. */
export interface AskedKeys {
  readonly keys: readonly EventKey[];
  /** When the events that may have them were received at the earliest, epoch milliseconds. */
  readonly since: number;
}

/**
 * How long an id is remembered whatever its event says. A repeat that says the same is recognized forever (`askedSince`).
 */
export const REMEMBERED_MS = 35 * DAY_MS;

/**
 * Returns since when an event's id is looked up. An event was first received after it occurred, give or take the time by which clocks may
 * be ahead. So for an event that has just occurred, the last weeks say all. Ids of a publishable key are looked up among all: nobody who
 * learns an id of a trusted sender may use it again, however old it is.
 */
export function askedSince({
  source,
  occurredAt,
  receivedAt,
}: Pick<StoredEvent, "source" | "occurredAt" | "receivedAt">): number {
  if (isPublic(source) || receivedAt - occurredAt > REMEMBERED_MS - FUTURE_TOLERANCE_MS) return 0;
  return receivedAt - REMEMBERED_MS;
}

/** A server refuses a form field above 128 KiB. */
const CHARACTERS_PER_FIELD = 120_000;
const ORG_BYTES = 4;
const ID_BYTES = 16;

/**
 * Returns which of the events are stored, and by senders of which class. It compares ids first, because hardly any match, so the columns of
 * orgs and times stay unread. GLOBAL sends the keys to the shards of a cluster as a table; in the query's text, which every shard parses,
 * they took four times the CPU.
 */
export async function loadStoredKeys(
  engine: EngineClient,
  place: IdPlace,
  { keys, since }: AskedKeys,
): Promise<readonly StoredKey[]> {
  if (keys.length === 0) return [];
  if (place === "event_ids") return loadTextKeys(engine, keys);
  const { asked, byBits } = packed(keys);
  const rows = await engine.rows<readonly [orgId: string, bits: string, isPublic: 0 | 1]>(
    `SELECT org_id, lower(hex(id)), is_public FROM stored_ids
     PREWHERE id GLOBAL IN (SELECT key.2 FROM (${asked.sql}))
     WHERE (org_id, id) GLOBAL IN (SELECT key.1, key.2 FROM (${asked.sql}))
       AND received_at >= fromUnixTimestamp64Milli({since: Int64})`,
    { ...asked.params, since },
  );
  return rows.map(([orgId, bits, isPublicKey]) => [orgId, byBits.get(bits)!, isPublicKey]);
}

/** Writes a query of one row per key: a tuple of its org and the bits of its id. The keys travel as one text of a fixed number of bytes each. */
function packed(keys: readonly EventKey[]) {
  const orgs = new Map<string, number>();
  const byBits = new Map<string, string>();
  const size = ORG_BYTES + ID_BYTES;
  const bytes = Buffer.alloc(keys.length * size);
  for (const [i, [orgId, id]] of keys.entries()) {
    const org = orgs.get(orgId) ?? orgs.size;
    orgs.set(orgId, org);
    bytes.writeUInt32LE(org, i * size);
    const bits = idBits(id);
    bits.copy(bytes, i * size + ORG_BYTES);
    byBits.set(bits.toString("hex"), id);
  }
  const texts = fieldsOf("keys", bytes);
  const names = fieldsOf("orgs", Buffer.from(JSON.stringify([...orgs.keys()])));
  const at = `substring(texts, i * ${size} + `;
  const sql = `SELECT arrayJoin(arrayMap(i -> (
       names[reinterpretAsUInt32(${at}1, ${ORG_BYTES})) + 1],
       toFixedString(${at}${ORG_BYTES + 1}, ${ID_BYTES}), ${ID_BYTES})), range(${keys.length}))) AS key
     FROM (SELECT ${texts.sql} AS texts, JSONExtract(${names.sql}, 'Array(String)') AS names)`;
  return { asked: { sql, params: { ...texts.params, ...names.params } }, byBits };
}

/** Sends bytes as parameters of a query, in base64, which needs no escapes. */
function fieldsOf(name: string, bytes: Buffer): { sql: string; params: Record<string, string> } {
  const text = bytes.toString("base64");
  const params: Record<string, string> = {};
  for (let start = 0; start < text.length; start += CHARACTERS_PER_FIELD)
    params[`${name}_${start}`] = text.slice(start, start + CHARACTERS_PER_FIELD);
  return {
    sql: `base64Decode(${Object.keys(params)
      .map((field) => `{${field}: String}`)
      .join(" || ")})`,
    params,
  };
}

/** Looks the ids up in the table from before step 7. */
function loadTextKeys(engine: EngineClient, keys: readonly EventKey[]): Promise<StoredKey[]> {
  const byOrg = Object.groupBy(keys, ([orgId]) => orgId);
  const orgs = Object.entries(byOrg).map(([orgId, ofOrg = []]) => [orgId, ofOrg.map(([, id]) => id)]);
  const { sql, params } = fieldsOf("keys", Buffer.from(JSON.stringify(orgs)));
  const asked = `SELECT arrayJoin(JSONExtract(${sql}, 'Array(Tuple(String, Array(String)))')) AS org`;
  return engine.rows<StoredKey>(
    `SELECT org_id, event_id, is_public FROM event_ids
     PREWHERE event_id GLOBAL IN (SELECT arrayJoin(org.2) FROM (${asked}))
     WHERE (org_id, event_id) GLOBAL IN (SELECT org.1, arrayJoin(org.2) FROM (${asked}))`,
    params,
  );
}
