import { type AnalysisQuery, DAY_MS, type StoredEvent } from "@assay/domain";
import { afterAll, beforeEach, expect } from "vitest";
import { loadAnalysis, stateForm } from "../events/analysis/load-analysis.ts";
import { queryColumns } from "../events/analysis/metric-columns.ts";
import { type AnalysisLimits, keyOf, openLog } from "../events/analysis/plans.ts";
import { eventStoreOn } from "../events/clickhouse-event-store.ts";
import { clientOf, temporaryClickHouse } from "../events/embedded/temporary-clickhouse.ts";
import { type EngineClient, engineClient } from "../events/engine/engine-client.ts";
import { placedEngine } from "../events/engine/event-engine.ts";
import { findState, readState } from "../events/units/unit-states.ts";
import { emptyDatabase } from "./empty-database.ts";
import { storedEvent, T0 } from "./stored-event.ts";

type TemporaryServer = Awaited<ReturnType<typeof temporaryClickHouse>>;

export const FROM_STATE: AnalysisLimits = { eventsForState: 0, eventsForCells: 0 };
export const FROM_EVENTS: AnalysisLimits = { eventsForState: Number.POSITIVE_INFINITY };

/** Counts how analyses read: from which state, and how often they read single units again. */
interface Heard {
  tails: number;
  fromRaw: number;
  rereads: number;
  /** Queries of the rows of a range of users. */
  ranges: number;
  /** Queries of rows without a column of tokens for audio. */
  withoutAudio: number;
  /** For each query that did not read all users' past: the first day on which its users were exposed. */
  readonly exposedFrom: string[];
  /** The experiments of each of these queries. */
  readonly askedFor: (readonly string[])[];
}

/** The first day of the tests. */
export const MIDNIGHT = T0 - (T0 % DAY_MS);

const HOUR_MS = 3_600_000;

/** An hour of a day of the tests, epoch milliseconds. */
export const at = (day: number, hours = 12): number => MIDNIGHT + day * DAY_MS + hours * HOUR_MS;

/** An event that is received as soon as it occurs. */
export const sent = (occurredAt: number, event: Partial<StoredEvent>): StoredEvent =>
  storedEvent({ ...event, occurredAt, receivedAt: occurredAt });

/** Starts an engine for the tests of a file. Each test has its own world on the engine, under the same name. */
export async function useStateWorld() {
  const server = await temporaryClickHouse();
  afterAll(() => server.dispose());
  const world = {} as Awaited<ReturnType<typeof openStateWorld>>;
  beforeEach(async () => {
    Object.assign(world, await openStateWorld(server));
    return () => world.engine.close();
  });
  return { server, world };
}

/** Opens an event store without events, whose analyses record how they read. */
async function openStateWorld(server: TemporaryServer) {
  const database = await emptyDatabase(server);
  const engine = engineClient(clientOf(server.clickhouse, { database }));
  const store = eventStoreOn(engine, null, { eventsForCells: 0 });
  const heard: Heard = {
    ...{ tails: 0, fromRaw: 0, rereads: 0, ranges: 0, withoutAudio: 0 },
    ...{ exposedFrom: [], askedFor: [] },
  };
  const hearing: EngineClient = {
    ...engine,
    native: (sql, params, ...more) => {
      if (sql.includes("AND NOT (occurred_at <")) {
        heard.tails += 1;
        if (sql.includes("FROM raw_events")) heard.fromRaw += 1;
      }
      if (sql.includes("IN {hashes")) heard.rereads += 1;
      if (sql.includes("{range_")) heard.ranges += 1;
      if (sql.includes("isNull(audio_input_tokens)")) heard.withoutAudio += 1;
      return engine.native(sql, params, ...more);
    },
    rowBinary: (sql, params, ...more) => {
      const { exposed_from: exposedFrom, experiment_ids: experimentIds } = params as {
        readonly exposed_from?: string;
        readonly experiment_ids?: readonly string[];
      };
      if (exposedFrom !== undefined && exposedFrom !== "1970-01-01") {
        heard.exposedFrom.push(exposedFrom);
        heard.askedFor.push(experimentIds!);
      }
      return engine.rowBinary(sql, params, ...more);
    },
  };
  const placed = placedEngine(hearing, { database, cluster: null });
  const load = async (query: AnalysisQuery, limits = FROM_STATE) => {
    const asked = { ...query, factsUntil: query.until, configuredModels: { a: "gpt-small" } };
    const { arms, facts } = await loadAnalysis(placed, asked, limits);
    return { ...arms, facts };
  };
  return {
    ...{ engine, store, heard, load },
    /** Expects that an analysis gives the same bits from a state as from the events alone, and returns it. */
    async expectSame(query: AnalysisQuery) {
      const arms = await load(query);
      expect(arms).toEqual(await load(query, FROM_EVENTS));
      return arms;
    },
    /** Returns the bytes of all units in a query's newest state, whatever its layers are; null if there is no state. */
    state: async (query: AnalysisQuery) => {
      const { isSampled } = await openLog(placed, query, { hasState: true, limits: FROM_STATE });
      const form = stateForm(query, queryColumns(query, isSampled));
      const key = keyOf(query, form);
      const state = await findState(placed, key, Number.MAX_SAFE_INTEGER);
      if (state === null) return null;
      const units = readState(placed, { key, state, codec: form.codec });
      const writer = form.codec.writer();
      for (await units.fill(); units.next !== null; await units.fill()) {
        writer.add(units.next);
        units.take();
      }
      return writer.finish().toString("base64");
    },
    /** How many chunks of units each stored state has, and whether it has a base, in the order in which they were stored. */
    layers: async () =>
      engine.rows<[chunks: number, isChange: 0 | 1]>(
        "SELECT chunk, JSONType(basis, 'base') = 'Object' FROM unit_states WHERE closed_before > 0 AND experiment_id != '' ORDER BY fold",
        {},
      ),
    forget: () => engine.command("TRUNCATE TABLE unit_states"),
  };
}
