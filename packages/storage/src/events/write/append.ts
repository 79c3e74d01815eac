import { setImmediate as nextTurn } from "node:timers/promises";
import { isPublic, type StoredEvent } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import type { IdPlace } from "../schema/id-tables.ts";
import { eventInserts, text, toLines } from "./event-inserts.ts";
import type { RecentIds } from "./recent-ids.ts";
import { type AskedKeys, askedSince, type EventKey, loadStoredKeys, type StoredKey } from "./stored-ids.ts";

/** Larger queries cost the engine as much per key, and would block this thread for too long. */
const KEYS_PER_QUERY = 5_000;
/** About a millisecond. */
const EVENTS_PER_TURN = 2_000;

/**
 * Returns a function that stores the events that are not stored yet, and returns them. It inserts first into `superseded_ids` if needed,
 * then into `raw_events`, which feeds `analysis`, and then into the table of ids. If it fails before the last insert, the next append
 * repeats everything, and equal rows merge into one.
 *
 * If two appends contain the same event, the second must know the first one's ids. So appends store their rows one at a time. The ids of
 * one are inserted while the next looks up its own, and that look-up counts them as stored. `recent` needs all appends of the store
 * that write `stored_ids`.
 */
export function appender(
  open: () => Promise<IdTable>,
  recent: RecentIds | null = null,
): (events: readonly StoredEvent[]) => Promise<readonly StoredEvent[]> {
  const unmarked = new Set<readonly StoredEvent[]>();
  const storeInTurn = oneAtATime(async (events: readonly StoredEvent[]) => {
    const table = await open();
    const fresh = await storeRows(events, { ...table, recent, unmarked: [...unmarked].flat() });
    unmarked.add(fresh);
    return { fresh, table };
  });
  return async (events) => {
    const { fresh, table } = await storeInTurn(events);
    await storeIds(fresh, table).finally(() => unmarked.delete(fresh));
    return fresh;
  };
}

/** Runs one call at a time. */
function oneAtATime<A, R>(run: (argument: A) => Promise<R>): (argument: A) => Promise<R> {
  let last: Promise<unknown> = Promise.resolve();
  return (argument) => {
    const mine = last.then(() => run(argument));
    last = mine.catch(() => {});
    return mine;
  };
}

/** The engine, and the table in which it has the ids of stored events. */
export interface IdTable {
  readonly engine: EngineClient;
  readonly place: IdPlace;
}

interface RowsParts extends IdTable {
  readonly recent: RecentIds | null;
  /** Events whose rows are stored but whose ids may not be stored yet. */
  readonly unmarked: readonly StoredEvent[];
}

/** Stores the rows of the events that are not stored yet, and returns these events. */
async function storeRows(
  events: readonly StoredEvent[],
  { engine, place, recent, unmarked }: RowsParts,
): Promise<readonly StoredEvent[]> {
  const remembered = place === "stored_ids" ? recent : null;
  remembered?.begin(engine, events);
  const { fresh, superseded } = await sortOut(events, unmarked, (asked) =>
    loadStoredKeys(engine, place, remembered?.possible(asked) ?? asked),
  );
  if (superseded.length > 0)
    await engine.insert(
      "superseded_ids",
      ["org_id", "event_id", "experiment_id"],
      toLines(superseded, toOverruledRow),
    );
  await appendUnmetered(engine, fresh);
  remembered?.add(fresh);
  return fresh;
}

/** Stores the ids of events whose rows are stored. */
async function storeIds(events: readonly StoredEvent[], { engine, place }: IdTable): Promise<void> {
  if (events.length === 0) return;
  await engine.insert(
    // While the table of an earlier version exists, a view copies its new rows.
    place === "stored_ids" ? "stored_ids" : "event_ids",
    ["org_id", "event_id", "received_at", "is_public"],
    toLines(events, toIdRow),
  );
}

/** Stores events without their ids, so no month counts them. Equal rows merge into one. */
export async function appendUnmetered(engine: EngineClient, events: readonly StoredEvent[]): Promise<void> {
  for (const { columns, lines } of eventInserts(events)) await engine.insert("raw_events", columns, lines);
}

/** How an append treats its events. */
interface Sorted {
  /** Not stored yet, and not a repeat of an earlier event in the list. */
  readonly fresh: readonly StoredEvent[];
  /** Events whose ids senders of both classes used. Only the trusted event counts. */
  readonly superseded: readonly StoredEvent[];
}

/** The events of an id in a batch by class, and the classes whose event is already stored. */
interface Claimants {
  trusted: StoredEvent | null;
  public: StoredEvent | null;
  isTrustedStored: boolean;
  isPublicStored: boolean;
}

/** Ids are unique per class of senders. Once a trusted sender used an id, a public event with it counts as a repeat. */
async function sortOut(
  events: readonly StoredEvent[],
  unmarked: readonly StoredEvent[],
  loadStored: (asked: AskedKeys) => Promise<readonly StoredKey[]>,
): Promise<Sorted> {
  const byOrg = await claimantsByOrg(events);
  const note = (orgId: string, id: string, isOpen: boolean) => {
    const claimants = byOrg.get(orgId)?.get(id);
    if (claimants !== undefined) claimants[isOpen ? "isPublicStored" : "isTrustedStored"] = true;
  };
  for (const { keys, since } of keysToAsk(byOrg))
    for (let start = 0; start < keys.length; start += KEYS_PER_QUERY) {
      const asked = { keys: keys.slice(start, start + KEYS_PER_QUERY), since };
      for (const [orgId, id, isOpen] of await loadStored(asked)) note(orgId, id, isOpen === 1);
    }
  for (const { orgId, eventId, source } of unmarked)
    note(orgId.toWellFormed(), eventId.toWellFormed(), isPublic(source));
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

async function claimantsByOrg(events: readonly StoredEvent[]): Promise<ByOrg> {
  const byOrg = new Map<string, Map<string, Claimants>>();
  for (const [index, event] of events.entries()) {
    if (index % EVENTS_PER_TURN === EVENTS_PER_TURN - 1) await nextTurn();
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

/** Splits the keys into those for which a look-up in the last weeks is enough, and all others. */
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
