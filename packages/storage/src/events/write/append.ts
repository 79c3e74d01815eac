import { isPublic, type StoredEvent } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";
import { eventInserts, text, toLines } from "./event-inserts.ts";
import type { RecentIds } from "./recent-ids.ts";
import { type AskedKeys, askedSince, type EventKey, loadStoredKeys, type StoredKey } from "./stored-ids.ts";

/**
 * Stores the events that are not stored yet: inserts into `superseded_ids` if there are any, then into `raw_events`, which
 * feeds `analysis`, then into the table of ids. If it fails before the last insert, the next append repeats everything, and
 * equal rows merge into one. Returns the events that it stored. `recent` needs all appends of the store that write `stored_ids`.
 */
export async function appendEvents(
  engine: EngineClient,
  events: readonly StoredEvent[],
  place: IdPlace = "stored_ids",
  recent: RecentIds | null = null,
): Promise<readonly StoredEvent[]> {
  const remembered = place === "stored_ids" ? recent : null;
  remembered?.begin(engine, events);
  const { fresh, superseded } = await sortOut(events, (asked) =>
    loadStoredKeys(engine, place, remembered?.possible(asked) ?? asked),
  );
  if (superseded.length > 0)
    await engine.insert(
      "superseded_ids",
      ["org_id", "event_id", "experiment_id"],
      toLines(superseded, toOverruledRow),
    );
  if (fresh.length === 0) return fresh;
  await appendUnmetered(engine, fresh);
  remembered?.add(fresh);
  await engine.insert(
    // As long as there is the table of an earlier version, a view copies what it gets.
    place === "stored_ids" ? "stored_ids" : "event_ids",
    ["org_id", "event_id", "received_at", "is_public"],
    toLines(fresh, toIdRow),
  );
  return fresh;
}

/** Stores events without their ids: equal rows merge into one, and no month counts them. */
export async function appendUnmetered(engine: EngineClient, events: readonly StoredEvent[]): Promise<void> {
  for (const { columns, lines } of eventInserts(events)) await engine.insert("raw_events", columns, lines);
}

/** What an append does with its events. */
interface Sorted {
  /** Not stored yet, and no repeat of an event before it in the list. */
  readonly fresh: readonly StoredEvent[];
  /** Events with ids that senders of both classes used: only the trusted one counts. */
  readonly superseded: readonly StoredEvent[];
}

/** The events of an id in a batch by class, and which classes hold it already. */
interface Claimants {
  trusted: StoredEvent | null;
  public: StoredEvent | null;
  isTrustedStored: boolean;
  isPublicStored: boolean;
}

/** Ids are unique within a class of senders, but once a trusted sender used one, a public event with it is a repeat. */
async function sortOut(
  events: readonly StoredEvent[],
  loadStored: (asked: AskedKeys) => Promise<readonly StoredKey[]>,
): Promise<Sorted> {
  const byOrg = claimantsByOrg(events);
  for (const asked of keysToAsk(byOrg))
    for (const [orgId, id, isPublicKey] of await loadStored(asked)) {
      const claimants = byOrg.get(orgId)?.get(id);
      if (claimants !== undefined) claimants[isPublicKey === 1 ? "isPublicStored" : "isTrustedStored"] = true;
    }
  const fresh: StoredEvent[] = [];
  const superseded: StoredEvent[] = [];
  for (const byId of byOrg.values())
    for (const { trusted, public: open, isTrustedStored, isPublicStored } of byId.values()) {
      if (trusted !== null && !isTrustedStored) fresh.push(trusted);
      const hasTrusted = isTrustedStored || trusted !== null;
      if (open !== null && !isPublicStored && !hasTrusted) fresh.push(open);
      const hasPublic = isPublicStored || open !== null;
      const one = trusted ?? open;
      if (one !== null && hasTrusted && hasPublic && !(isTrustedStored && isPublicStored))
        superseded.push(one);
    }
  return { fresh, superseded };
}

type ByOrg = ReadonlyMap<string, ReadonlyMap<string, Claimants>>;

function claimantsByOrg(events: readonly StoredEvent[]): ByOrg {
  const byOrg = new Map<string, Map<string, Claimants>>();
  for (const event of events) {
    const [orgId, id] = [event.orgId.toWellFormed(), event.eventId.toWellFormed()];
    const byId = byOrg.get(orgId) ?? new Map<string, Claimants>();
    byOrg.set(orgId, byId);
    const claimants = byId.get(id) ?? {
      trusted: null,
      public: null,
      isTrustedStored: false,
      isPublicStored: false,
    };
    byId.set(id, claimants);
    claimants[isPublic(event.source) ? "public" : "trusted"] ??= event;
  }
  return byOrg;
}

/** Lists the keys in two groups: those of which the last weeks say all, and the others. */
function keysToAsk(byOrg: ByOrg): readonly AskedKeys[] {
  const recent: EventKey[] = [];
  const old: EventKey[] = [];
  let since = Number.POSITIVE_INFINITY;
  for (const [orgId, byId] of byOrg)
    for (const [id, { trusted, public: open }] of byId) {
      const from = open === null && trusted !== null ? askedSince(trusted) : 0;
      (from === 0 ? old : recent).push([orgId, id]);
      if (from > 0) since = Math.min(since, from);
    }
  return [
    { keys: recent, since },
    { keys: old, since: 0 },
  ];
}

function toIdRow({ orgId, eventId, receivedAt, source }: StoredEvent): readonly unknown[] {
  return [text(orgId), text(eventId), receivedAt, Number(isPublic(source))];
}

function toOverruledRow({ orgId, eventId, experimentId }: StoredEvent): readonly unknown[] {
  return [text(orgId), text(eventId), text(experimentId)];
}
