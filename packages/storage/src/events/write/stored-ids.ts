import { DAY_MS, FUTURE_TOLERANCE_MS, isPublic, type StoredEvent } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";
import { ID_BYTES, idDigits } from "../sql/id-bits.ts";

/** The unique key of an event within a class of senders. */
export type EventKey = readonly [orgId: string, eventId: string];

/** A stored id and the class of its sender. */
export type StoredKey = readonly [...EventKey, isPublic: 0 | 1];

/** Ids to look up. */
export interface AskedKeys {
  readonly keys: readonly EventKey[];
  /** The earliest time at which events with these ids may have been received, epoch milliseconds. */
  readonly since: number;
}

/**
 * How long an id is remembered, whatever its event contains. An identical repeat is recognized forever (`askedSince`).
 */
export const REMEMBERED_MS = 35 * DAY_MS;

/**
 * Returns from when on an event's id is looked up. An event is received after it occurred, apart from clocks that are ahead, so the last
 * weeks are enough for an event that has just occurred. Ids from a publishable key are looked up without a limit: nobody who learns a
 * trusted sender's id may use it again, however old it is.
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
/** How many extra rows an answer may contain: those of other orgs with the same ids. */
const ROWS_OF_OTHERS = 1_000;

/**
 * Returns which of the ids are stored, with the classes of their senders. Rows of other orgs with the same ids may be included. It first
 * compares only ids, because hardly any match. Only if many orgs have the ids, it also compares orgs, which takes as long again. GLOBAL
 * sends the keys to a cluster's shards as a table: in the query's text, which every shard parses, they took four times the CPU.
 */
export async function loadStoredKeys(
  engine: EngineClient,
  place: IdPlace,
  { keys, since }: AskedKeys,
): Promise<readonly StoredKey[]> {
  if (keys.length === 0) return [];
  if (place === "event_ids") return loadTextKeys(engine, keys);
  const byDigits = new Map(keys.map(([, id]) => [idDigits(id), id]));
  const ids = fieldsOf("ids", Buffer.from([...byDigits.keys()].join(""), "hex"));
  const most = 2 * keys.length + ROWS_OF_OTHERS;
  const load = (condition: string, params: Readonly<Record<string, unknown>>) =>
    engine.rows<readonly [orgId: string, digits: string, isPublic: 0 | 1]>(
      `SELECT org_id, lower(hex(id)), is_public FROM stored_ids
       PREWHERE id GLOBAL IN (
         SELECT toFixedString(substring(${ids.sql}, number * ${ID_BYTES} + 1, ${ID_BYTES}), ${ID_BYTES})
         FROM numbers(${byDigits.size}))
       WHERE received_at >= fromUnixTimestamp64Milli({since: Int64}) ${condition}`,
      { ...ids.params, since, ...params },
    );
  let rows = await load(`LIMIT ${most}`, {});
  if (rows.length === most) {
    const { sql, params } = byOrgSql(keys.map(([orgId, id]) => [orgId, idDigits(id)]));
    const pairs = `SELECT org.1, toFixedString(unhex(arrayJoin(org.2)), ${ID_BYTES}) FROM (${sql})`;
    rows = await load(`AND (org_id, id) GLOBAL IN (${pairs})`, params);
  }
  return rows.map(([orgId, digits, isPublicKey]) => [orgId, byDigits.get(digits)!, isPublicKey]);
}

/** Looks up ids in `event_ids`, the table from before step 7. */
function loadTextKeys(engine: EngineClient, keys: readonly EventKey[]): Promise<StoredKey[]> {
  const { sql, params } = byOrgSql(keys);
  return engine.rows<StoredKey>(
    `SELECT org_id, event_id, is_public FROM event_ids
     PREWHERE event_id GLOBAL IN (SELECT arrayJoin(org.2) FROM (${sql}))
     WHERE (org_id, event_id) GLOBAL IN (SELECT org.1, arrayJoin(org.2) FROM (${sql}))`,
    params,
  );
}

/** Writes a query with one row per org: `org`, a tuple of the org's id and event ids. They are sent as one JSON text. */
function byOrgSql(keys: readonly EventKey[]): { sql: string; params: Record<string, string> } {
  const byOrg = Map.groupBy(keys, ([orgId]) => orgId);
  const orgs = [...byOrg].map(([orgId, ofOrg]) => [orgId, ofOrg.map(([, id]) => id)]);
  const { sql, params } = fieldsOf("keys", Buffer.from(JSON.stringify(orgs)));
  return {
    sql: `SELECT arrayJoin(JSONExtract(${sql}, 'Array(Tuple(String, Array(String)))')) AS org`,
    params,
  };
}

/** Sends bytes as parameters of a query, in base64, which needs no escapes. */
function fieldsOf(name: string, bytes: Buffer): { sql: string; params: Record<string, string> } {
  const text = bytes.toString("base64");
  const params: Record<string, string> = {};
  for (let start = 0; start < text.length; start += CHARACTERS_PER_FIELD)
    params[`${name}_${start}`] = text.slice(start, start + CHARACTERS_PER_FIELD);
  const fields = Object.keys(params).map((field) => `{${field}: String}`);
  return { sql: `base64Decode(${fields.join(" || ")})`, params };
}
