import type { Day, EventStore, ExperimentEvents, TrafficPoint } from "@assay/domain";
import { loadBaseline } from "./analysis/baseline-query.ts";
import { loadGuardSums } from "./analysis/guard-sums.ts";
import { loadAnalysis, loadArmSnapshot } from "./analysis/load-analysis.ts";
import { loadLoggedTraces } from "./analysis/logged-traces.ts";
import type { AnalysisLimits } from "./analysis/plans.ts";
import { loadUnitHistory } from "./analysis/unit-history.ts";
import { type ClickHouseAddress, connectClickHouse } from "./engine/connect-clickhouse.ts";
import { type EngineClient, engineClient } from "./engine/engine-client.ts";
import { type EventEngine, findPlacement, placedEngine } from "./engine/event-engine.ts";
import { failWhenHung } from "./engine/fail-when-hung.ts";
import { loadTexts } from "./read/call-texts.ts";
import { listCompared } from "./read/compared-calls.ts";
import { listExcluded, loadExclusionEffects } from "./read/exclusion-effects.ts";
import { countExposures } from "./read/exposure-counts.ts";
import { loadExposuresByMinute } from "./read/exposures-by-minute.ts";
import { loadFirstExposures } from "./read/first-exposures.ts";
import { loadFirstSeen } from "./read/first-seen.ts";
import { countJudgeable, drawAllJudgeable, drawJudgeable } from "./read/judgeable-query.ts";
import { countPrompted, drawPrompted } from "./read/prompted-calls.ts";
import { findRaw, listOutcomes, listRaw } from "./read/raw-events.ts";
import { loadTranscripts } from "./read/transcripts.ts";
import { listUserEvents } from "./read/user-events.ts";
import { requireWholeTables } from "./schema/damaged-parts.ts";
import { findIdPlace, type IdPlace } from "./schema/id-tables.ts";
import { migrateSchema } from "./schema/migrate-schema.ts";
import { countedRows, IS_ELIGIBLE } from "./sql/conditions.ts";
import { sweepFolds } from "./units/fold-days.ts";
import { createIdCounts } from "./usage/count-ids.ts";
import { appender, appendUnmetered } from "./write/append.ts";
import { copyIds } from "./write/copy-ids.ts";
import { eraseUsers } from "./write/erase-users.ts";
import { RecentIds, type RecentIdsOptions } from "./write/recent-ids.ts";
import { removeExperiment } from "./write/remove-experiment.ts";
import { sweepRaw } from "./write/sweep-raw.ts";

/** Address and credentials of the server, and where its tables are created. */
export interface ClickHouseOptions extends ClickHouseAddress {
  /** Cluster to create the tables on if there are none yet; existing tables stay where they are. */
  readonly cluster?: string | undefined;
  /** Set when no other process writes to the store: then the ids of the last weeks are kept in memory. */
  readonly onlyWriter?: RecentIdsOptions | undefined;
  /** A server that may hang, beyond this process's control: reads then fail as unavailable within half a minute. */
  readonly isServer?: boolean;
  /** Tests lower them. */
  readonly limits?: AnalysisLimits;
}

/**
 * Opens the event store on a ClickHouse server, a node of a cluster, or the embedded engine, which has the same
 * protocol.
 */
export function clickhouseEventStore(options: ClickHouseOptions): EventStore {
  const { cluster = null, limits, onlyWriter, isServer = false } = options;
  const recent = onlyWriter === undefined ? null : new RecentIds(onlyWriter);
  const engine = engineClient(
    connectClickHouse(options),
    isServer ? { watch: failWhenHung(options.url) } : {},
  );
  const store = eventStoreOn(engine, cluster, limits, recent);
  if (isServer) return store;
  const migrate = async () => {
    await requireWholeTables(engine);
    await store.migrate();
  };
  return { ...store, migrate };
}

/** Creates the event store of a client; `cluster` and `limits` as in `ClickHouseOptions`. `recent` is for the only writer. */
export function eventStoreOn(
  engine: EngineClient,
  cluster: string | null,
  limits: AnalysisLimits = {},
  recent: RecentIds | null = null,
): EventStore {
  const placed = rememberPlaced(engine);
  const place = rememberIdPlace(placed);
  const append = appender(async () => ({ engine: await placed(), place: await place() }), recent);
  return {
    migrate: () => migrateSchema(engine, cluster),
    continueUpgrade: async (now) => (await place()) !== "stored_ids" && copyIds(await placed(), now),
    append,
    appendUnmetered: async (events) => appendUnmetered(await placed(), events),
    ...createIdCounts(placed, place),
    loadRun: async (query) => loadAnalysis(await placed(), query, limits),
    loadArms: async (query) => loadArmSnapshot(await placed(), query, limits),
    loadBaseline: async (query) => loadBaseline(await placed(), query),
    loadUnitHistory: async (query) => loadUnitHistory(await placed(), query),
    loadLoggedTraces: async (query) => loadLoggedTraces(await placed(), query),
    sweepRaw: async (rules) => {
      const engine = await placed();
      await sweepFolds(engine, Date.now());
      return sweepRaw(engine, rules);
    },
    removeExperiment: async (orgId, experimentId) =>
      removeExperiment(await placed(), { orgId, experimentId }),
    eraseUsers: async (erasures) => eraseUsers(await placed(), erasures),
    traffic: async (query) => loadTraffic(await placed(), query),
    countExposures: async (query) => countExposures(await placed(), query),
    loadExclusionEffects: async (query) => loadExclusionEffects(await placed(), query),
    listExcluded: async (query, calls) => listExcluded(await placed(), query, calls),
    loadGuardSums: async (query) => loadGuardSums(await placed(), query),
    exposuresByMinute: async (query) => loadExposuresByMinute(await placed(), query),
    listRaw: async (query) => listRaw(await placed(), query),
    findRaw: async (ref) => findRaw(await placed(), ref),
    listUserEvents: async (query) => listUserEvents(await placed(), query),
    listOutcomes: async (query) => listOutcomes(await placed(), query),
    countJudgeable: async (query) => countJudgeable(await placed(), query),
    drawJudgeable: async (query, quotas) => drawJudgeable(await placed(), query, quotas),
    drawAllJudgeable: async (query) => drawAllJudgeable(await placed(), query),
    countPrompted: async (query) => countPrompted(await placed(), query),
    drawPrompted: async (query, plan) => drawPrompted(await placed(), query, plan),
    loadTexts: async (orgId, experimentId, eventIds) =>
      loadTexts(await placed(), eventIds, { orgId, experimentId }),
    loadTranscripts: async (query) => loadTranscripts(await placed(), query),
    listCompared: async (query) => listCompared(await placed(), query),
    loadFirstExposures: async (query) => loadFirstExposures(await placed(), query),
    loadFirstSeen: async (query) => loadFirstSeen(await placed(), query),
    ping: engine.ping,
    close: () => {
      recent?.stop();
      return engine.close();
    },
  };
}

/** Finds out where the tables are, once they exist, and remembers it. */
function rememberPlaced(engine: EngineClient): () => Promise<EventEngine> {
  let known: EventEngine | null = null;
  return async () => {
    if (known !== null) return known;
    const placement = await findPlacement(engine);
    const placed = placedEngine(engine, placement);
    if (placement.hasTables) known = placed;
    return placed;
  };
}

/** Finds out where the ids are, before each use until they are in one table only, and remembers that. */
function rememberIdPlace(placed: () => Promise<EngineClient>): () => Promise<IdPlace> {
  let isLast = false;
  return async () => {
    if (isLast) return "stored_ids";
    const found = await findIdPlace(await placed());
    isLast = found === "stored_ids";
    return found;
  };
}

async function loadTraffic(engine: EventEngine, query: ExperimentEvents): Promise<readonly TrafficPoint[]> {
  const { counted, params } = countedRows(query);
  const rows = await engine.rows<[Day, string, number, number]>(
    `SELECT day, variant, sum(exposures), sum(users) FROM ${engine.perShard(`
       SELECT toDate(occurred_at) AS day, variant, count() AS exposures, uniqExact(user_id) AS users FROM analysis FINAL
       WHERE ${counted} AND ${IS_ELIGIBLE}
       GROUP BY day, variant`)}
     GROUP BY day, variant ORDER BY day, variant`,
    params,
  );
  return rows.map(([day, variant, exposures, users]) => ({ day, variant, exposures, users }));
}
