import { randomUUID } from "node:crypto";
import { EVENT_TYPES, type EventStore, type EventType, NO_VALUES, VALUE_FIELDS } from "@assay/domain";
import { expect, test } from "vitest";
import { eventStoreOn } from "../events/clickhouse-event-store.ts";
import type { EngineClient } from "../events/engine/engine-client.ts";
import { findPlacement, onCluster, placedEngine } from "../events/engine/event-engine.ts";
import { ANALYSIS_COLUMNS } from "../events/schema/event-columns.ts";
import { storedEvent, wholeEvent } from "./stored-event.ts";

/** A store on an empty database, and its client. */
export interface OpenedStore {
  readonly engine: EngineClient;
  readonly cluster: string | null;
}

/** Tests, for every engine, the upgrade of a store whose version had fewer fields. `open` returns an empty database. */
export function addedColumnsContract(name: string, open: () => Promise<OpenedStore>): void {
  test(`${name} gets the columns of newer fields, wherever a previous upgrade stopped`, async () => {
    const { engine, cluster } = await open();
    const store = eventStoreOn(engine, cluster);
    await store.migrate();
    const old = storedEvent({ orgId: randomUUID(), ...NO_VALUES });
    for (let done = 0, isCut = true; isCut; done++) {
      await removeColumns({ engine, cluster });
      if (done === 0) await insertKeys(engine, old);
      isCut = await migrate({ engine: cutOffAfter(done, engine), cluster });
      if (isCut) await store.migrate();
      expect(await findOf(store, old)).toEqual(old);
      const types = isCut ? [EVENT_TYPES[done % EVENT_TYPES.length]!] : EVENT_TYPES;
      await expectWholeEvents(types, { engine, store });
    }
    await store.close();
  });
}

const later = VALUE_FIELDS.map(({ name }) => name);

/** Reverts the tables to a version without any optional field. */
async function removeColumns({ engine, cluster }: OpenedStore): Promise<void> {
  const on = onCluster(cluster);
  const local = cluster === null ? "" : "_local";
  const keys = Object.keys(ANALYSIS_COLUMNS).filter((name) => !later.includes(name));
  const drop = (names: readonly string[]) => names.map((name) => `DROP COLUMN ${name}`).join(", ");
  const analyzed = later.filter((name) => name in ANALYSIS_COLUMNS);
  await engine.command(
    `ALTER TABLE raw_events_to_analysis${on} MODIFY QUERY SELECT ${keys} FROM raw_events${local}`,
  );
  for (const suffix of new Set(["", local])) {
    await engine.command(`ALTER TABLE analysis${suffix}${on} ${drop(analyzed)}`);
    await engine.command(`ALTER TABLE raw_events${suffix}${on} ${drop(later)}`);
  }
}

async function insertKeys(engine: EngineClient, event: ReturnType<typeof storedEvent>): Promise<void> {
  const { orgId, experimentId, userId, eventId, type, occurredAt, receivedAt } = event;
  const row = [orgId, experimentId, userId, eventId, type, occurredAt, receivedAt];
  const columns = ["org_id", "experiment_id", "user_id", "event_id", "type", "occurred_at", "received_at"];
  const placed = placedEngine(engine, await findPlacement(engine));
  await placed.insert("raw_events", columns, [`${JSON.stringify(row)}\n`]);
}

/** Runs the upgrade and returns whether it was interrupted. */
async function migrate({ engine, cluster }: OpenedStore): Promise<boolean> {
  try {
    await eventStoreOn(engine, cluster).migrate();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ message: "cut off" });
    return true;
  }
}

function cutOffAfter(commands: number, engine: EngineClient): EngineClient {
  let left = commands;
  return {
    ...engine,
    command: (...command) => (left-- > 0 ? engine.command(...command) : Promise.reject(new Error("cut off"))),
  };
}

async function expectWholeEvents(
  types: readonly EventType[],
  { engine, store }: { readonly engine: EngineClient; readonly store: EventStore },
): Promise<void> {
  const events = types.map((type) => wholeEvent(type, { orgId: randomUUID() }));
  await store.append(events);
  const names = Object.keys(ANALYSIS_COLUMNS);
  for (const event of events) {
    expect(await findOf(store, event)).toEqual(event);
    const sql = (log: string) => `SELECT ${names} FROM ${log} WHERE event_id = {id: String}`;
    const [raw, analyzed] = [
      await engine.rows(sql("raw_events"), { id: event.eventId }),
      await engine.rows(sql("analysis"), { id: event.eventId }),
    ];
    expect(raw).toHaveLength(1);
    expect(analyzed).toEqual(raw);
  }
}

function findOf(store: EventStore, { orgId, experimentId, eventId }: ReturnType<typeof storedEvent>) {
  return store.findRaw({ orgId, experimentId, eventId, prices: [] });
}
