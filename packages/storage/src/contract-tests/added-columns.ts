import { randomUUID } from "node:crypto";
import { EVENT_TYPES, type EventStore, type EventType, NO_VALUES, VALUE_FIELDS } from "@assay/domain";
import { expect, test } from "vitest";
import { eventStoreOn } from "../events/clickhouse-event-store.ts";
import type { EngineClient } from "../events/engine/engine-client.ts";
import { findPlacement, onCluster, placedEngine } from "../events/engine/event-engine.ts";
import { clusterSteps } from "../events/schema/cluster-schema.ts";
import { ANALYSIS_COLUMNS, TYPES } from "../events/schema/event-columns.ts";
import { SCHEMA_STEPS } from "../events/schema/schema.ts";
import { storedEvent, wholeEvent } from "./stored-event.ts";

/** A store on an empty database, and its client. */
export interface OpenedStore {
  readonly engine: EngineClient;
  readonly cluster: string | null;
}

/** Tests, for every engine, the upgrade of a store from a version with fewer fields. `open` returns an empty database. */
export function addedColumnsContract(name: string, open: () => Promise<OpenedStore>): void {
  test(`${name} gets the columns of newer fields, wherever a previous upgrade stopped`, async () => {
    const { engine, cluster } = await open();
    const store = eventStoreOn(engine, cluster);
    await store.migrate();
    const old = storedEvent({ orgId: randomUUID(), ...NO_VALUES });
    for (let done = 0, isCut = true; isCut; done++) {
      await removeColumns({ engine, cluster });
      await insertKeys(engine, old);
      isCut = await migrate({ engine: cutOffAfter(done, engine), cluster });
      if (isCut) await store.migrate();
      await expectTypes(engine);
      expect(await findOf(store, old)).toEqual(old);
      const types = isCut ? [EVENT_TYPES[done % EVENT_TYPES.length]!] : EVENT_TYPES;
      await expectWholeEvents(types, { engine, store });
    }
    await store.close();
  });
}

const later = VALUE_FIELDS.map(({ name }) => name);

/** The types of events that the first version had. */
const FIRST_TYPES = "Enum8('exposure' = 1, 'model_call' = 2, 'business_event' = 3)";

/** Reverts the tables to a version without any optional field and without the newer types of events. */
async function removeColumns({ engine, cluster }: OpenedStore): Promise<void> {
  const on = onCluster(cluster);
  const local = cluster === null ? "" : "_local";
  const keys = Object.keys(ANALYSIS_COLUMNS).filter((name) => !later.includes(name));
  const drop = (names: readonly string[]) => names.map((name) => `DROP COLUMN ${name}`).join(", ");
  const analyzed = later.filter((name) => name in ANALYSIS_COLUMNS);
  await engine.command(
    `ALTER TABLE raw_events_to_analysis${on} MODIFY QUERY SELECT ${keys} FROM raw_events${local}`,
  );
  const types = `MODIFY COLUMN type ${FIRST_TYPES}`;
  for (const log of ["analysis", "raw_events"]) await engine.command(`TRUNCATE TABLE ${log}${local}${on}`);
  for (const suffix of new Set(["", local])) {
    await engine.command(`ALTER TABLE analysis${suffix}${on} ${drop(analyzed)}, ${types}`);
    await engine.command(`ALTER TABLE raw_events${suffix}${on} ${drop(later)}, ${types}`);
    await engine.command(`DROP TABLE unit_days${suffix}${on} SYNC`);
  }
  // The key of this table contains the type. There, the engine can add values to an enumeration but not remove them.
  const steps = cluster === null ? SCHEMA_STEPS : clusterSteps(cluster);
  for (const change of steps.flat())
    if (typeof change === "string" && /TABLE IF NOT EXISTS unit_days/.test(change))
      await engine.command(change.replace(TYPES.type, FIRST_TYPES));
}

/** Expects that all tables have the current event types. */
async function expectTypes(engine: EngineClient): Promise<void> {
  const found = await engine.rows<[string, string]>(
    `SELECT table, type FROM system.columns
     WHERE database = currentDatabase() AND name = 'type' AND match(table, '^(analysis|raw_events|unit_days)(_local)?$')`,
    {},
  );
  expect(found.length).toBeGreaterThanOrEqual(3);
  for (const [table, type] of found) expect([table, type]).toEqual([table, TYPES.type]);
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
