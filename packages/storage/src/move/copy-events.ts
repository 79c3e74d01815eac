import { finished } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { StartupError } from "@assay/domain";
import type { ClickHouseClient } from "@clickhouse/client";
import { type ClickHouseAddress, connectClickHouse } from "../events/engine/connect-clickhouse.ts";
import { type EngineClient, engineClient } from "../events/engine/engine-client.ts";
import { CLUSTER_INSERT_SETTINGS, findPlacement, placedEngine } from "../events/engine/event-engine.ts";
import { requireWholeTables } from "../events/schema/damaged-parts.ts";
import { restoreEventIds } from "../events/schema/migrate-schema.ts";
import { type ChunkedTable, type ChunkRange, conditionOf, listChunks, tallyChunk } from "./event-chunks.ts";
import { EVENT_TABLES, type EventTable, listColumns, TEXT_IDS } from "./event-table.ts";
import type { MovedPart } from "./moved-part.ts";

/** A replica behind a load balancer may receive rows a little later than the replica to which they were sent. */
const LOOKS_AT_CLUSTER = 10;
const BETWEEN_LOOKS_MS = 1_000;

/** Progress reports of a copy. */
export interface EventsProgress {
  /** Called for each chunk that was copied or already existed. */
  onChunk(title: string, rows: number, isThere: boolean): void;
}

/** Both stores of a move, open. */
export interface EventsMove {
  isTargetEmpty(): Promise<boolean>;
  /**
   * Copies missing rows chunk by chunk. Chunks copied before have an equal count and checksum and are skipped. At the
   * end, counts both stores.
   */
  copy(progress: EventsProgress): Promise<readonly MovedPart[]>;
  close(): Promise<void>;
}

/** A connection for parsed rows and for raw bytes. */
interface End {
  readonly client: ClickHouseClient;
  readonly engine: EngineClient;
}

/** Connects to the source and to the target, whose tables must exist. */
export function openEventsMove(from: ClickHouseAddress, to: ClickHouseAddress): EventsMove {
  const [source, target] = [connect(from), connect(to)];
  return {
    async isTargetEmpty() {
      const counts = await Promise.all(EVENT_TABLES.map((table) => countRows(target.engine, table)));
      return counts.every((count) => count === 0);
    },
    async copy(progress) {
      await requireWholeTables(source.engine);
      // Merging now would only rewrite rows.
      await source.engine.command("SYSTEM STOP MERGES");
      const placement = await findPlacement(target.engine);
      const placed = { client: target.client, engine: placedEngine(target.engine, placement) };
      const copying = { source, target: placed, isCluster: placement.cluster !== null, progress };
      const parts: MovedPart[] = [];
      for (const table of await tablesOf(copying, placement.cluster))
        parts.push(await copyTable(table, copying));
      return parts;
    },
    async close() {
      await source.engine.close();
      await target.engine.close();
    },
  };
}

function connect(address: ClickHouseAddress): End {
  const client = connectClickHouse(address);
  return { client, engine: engineClient(client) };
}

interface Copying {
  readonly source: End;
  /** Its engine knows where the tables are. */
  readonly target: End;
  readonly isCluster: boolean;
  readonly progress: EventsProgress;
}

/** Lists the tables to copy. A folder that still has ids as text keeps them; the services on the target then convert them. */
async function tablesOf({ source, target }: Copying, cluster: string | null): Promise<readonly EventTable[]> {
  if ((await listColumns(source.engine, TEXT_IDS)).length === 0) return EVENT_TABLES;
  if ((await listColumns(target.engine, TEXT_IDS)).length === 0)
    await restoreEventIds(target.engine, cluster);
  return EVENT_TABLES.map((table) => (table.title === TEXT_IDS.title ? TEXT_IDS : table));
}

async function copyTable(table: EventTable, copying: Copying): Promise<MovedPart> {
  const { source, target, progress } = copying;
  const chunked: ChunkedTable = { table, columns: await sharedColumns(table, copying) };
  let differing = 0;
  for await (const { range, tally } of listChunks(source.engine, chunked)) {
    const isThere = async () => {
      const { rows, hash } = await tallyChunk(target.engine, chunked, range);
      return rows === tally.rows && hash === tally.hash;
    };
    const wasThere = await isThere();
    if (!wasThere) {
      await sendChunk(chunked, range, copying);
      if (!(await isSoon(isThere, copying))) differing += 1;
    }
    progress.onChunk(table.title, tally.rows, wasThere);
  }
  return countBoth(table, differing, copying);
}

async function countBoth(table: EventTable, differing: number, copying: Copying): Promise<MovedPart> {
  const source = await countRows(copying.source.engine, table);
  let target = 0;
  const isSame = await isSoon(async () => {
    target = await countRows(copying.target.engine, table);
    return target === source;
  }, copying);
  return { name: table.title, source, target, isEqual: isSame && differing === 0 };
}

async function isSoon(isTrue: () => Promise<boolean>, { isCluster }: Copying): Promise<boolean> {
  for (let look = 1; !(await isTrue()); look += 1) {
    if (!isCluster || look === LOOKS_AT_CLUSTER) return false;
    await sleep(BETWEEN_LOOKS_MS);
  }
  return true;
}

async function sharedColumns(table: EventTable, { source, target }: Copying) {
  const [there, here] = [await listColumns(source.engine, table), await listColumns(target.engine, table)];
  const names = (columns: typeof there) =>
    columns
      .map(({ name }) => name)
      .sort()
      .join();
  if (there.length > 0 && names(there) === names(here)) return there;
  throw new StartupError(
    "The events in the data folder are from an older version of Assay: start this version on the folder once, stop it, and then move it.",
  );
}

/** Streams the rows in the engine's binary format from one connection to the other. */
async function sendChunk(
  { table, columns }: ChunkedTable,
  range: ChunkRange,
  { source, target, isCluster }: Copying,
): Promise<void> {
  const names = columns.map(({ name }) => name).join(", ");
  const { sql, params } = conditionOf(table, range);
  const { stream: rows } = await source.client.exec({
    query: `SELECT ${names} FROM ${table.name} FINAL WHERE ${sql} FORMAT Native`,
    query_params: params,
  });
  const { stream: answer } = await target.client.exec({
    query: `INSERT INTO ${table.name} (${names}) FORMAT Native`,
    values: rows,
    // Rows of an interrupted run must be sent again, because they may not have reached the analysis log.
    clickhouse_settings: { insert_deduplicate: 0, ...(isCluster && CLUSTER_INSERT_SETTINGS) },
  });
  await finished(answer.resume());
}

/** Counts rows without duplicates, like every reader. */
async function countRows(engine: EngineClient, { name }: EventTable): Promise<number> {
  const [row] = await engine.rows<[number]>(`SELECT count() FROM ${name} FINAL`, {});
  return row?.[0] ?? 0;
}
