import { randomUUID } from "node:crypto";
import { DAY_MS, EVENT_FIELD_LIST, monthOf, type StoredEvent } from "@assay/domain";
import { clickhouseEventStore } from "@assay/storage";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { engineClient } from "../packages/storage/src/events/engine/engine-client.ts";
import { type EventKey, loadStoredKeys } from "../packages/storage/src/events/write/stored-ids.ts";
import { startEngine } from "./harness/engine.ts";
import { mergesEnd, numbers } from "./harness/engine-numbers.ts";
import { cpuSeconds } from "./harness/process-stat.ts";
import { sized } from "./harness/sized.ts";
import { formatFigure, formatSpread, spreadOf } from "./harness/spread.ts";
import { ORGS, storedEvents, timeOrderedId } from "./harness/stored-events.ts";
import { printTable } from "./harness/table.ts";

const SIZES = sized([1_000_000, 10_000_000, 50_000_000], [1_000]);
const FILL_STEP = 5_000_000;
/** The size of a worker's append under load: 4 MiB of events. */
const ROWS = sized(5_000, 500);
/** The engine's processor time is reported in steps of 10 ms. An append takes about 50 ms. */
const ROUNDS = sized(24, 1);
const LOOKUP_ROUNDS = sized(5, 1);
/** The goal of `npm run bench -- append`: what an append that stores resent events once may cost, in bare inserts. */
const AIM = 1.6;

/** How ids are made: time-ordered (UUIDv7) by the client libraries, random (UUIDv4) by others. */
const SCHEMES = {
  "time-ordered": { sql: "toString(generateUUIDv7())", next: timeOrderedId },
  random: { sql: "toString(generateUUIDv4())", next: randomUUID },
} as const;

/** The days over which the stored ids were received: as many as a sole writer keeps in memory. */
const DAYS = 34;

/** An engine with a store. */
export interface AppendBed {
  readonly client: ClickHouseClient;
  readonly address: Parameters<typeof clickhouseEventStore>[0];
  readonly pid: number;
  readonly store: ReturnType<typeof clickhouseEventStore>;
  readonly engine: ReturnType<typeof engineClient>;
}

/** Adds up the time that calls take. */
class Cost {
  readonly ms: number[] = [];
  /** Processor time of the engine, microseconds. */
  cpuUs = 0;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  async of(work: () => Promise<unknown>): Promise<void> {
    const before = cpuSeconds(this.#pid);
    const startedAt = performance.now();
    await work();
    this.ms.push(performance.now() - startedAt);
    this.cpuUs += (cpuSeconds(this.#pid) - before) * 1e6;
  }
}

/**
 * Measures the cost of one more batch as the number of stored ids grows. An append looks up each id of its batch among them. Two bare
 * inserts of such rows take turns with the appends: one by `@clickhouse/client`, as in `pipeline`, and one by the store, which
 * shows what the ids cost.
 */
export async function benchAppend(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, { sql, next }] of Object.entries(SCHEMES)) {
    const bed = await openBed();
    let stored = 0;
    for (const size of SIZES) {
      for (; stored < size; stored += Math.min(FILL_STEP, size - stored)) {
        await fill(bed.client, sql, Math.min(FILL_STEP, size - stored));
      }
      rows.push([`${size.toLocaleString("en-US")} ${name}`, ...(await measure(bed, next))]);
    }
    await closeBed(bed);
  }
  const head = [
    "ids stored",
    "look-up, ms",
    "append, ms",
    "CPU µs per event: look-up",
    "bare insert, `@clickhouse/client`",
    "the store's insert without ids",
    "append",
    `append ÷ bare insert, aim ≤ ${AIM}`,
    "append ÷ insert without ids",
    "append by one of several processes",
    "own CPU",
    "recent ids: memory; CPU of the engine, own CPU, time to load",
    "bytes per id",
    "index bytes per id",
    "usage of all orgs, ns per id",
  ];
  printTable(
    "append",
    `Appends of ${ROWS.toLocaleString("en-US")} new events without text, from ${ORGS} orgs. An append looks up the ids, then inserts rows and ids. Median (min–max) of ${ROUNDS} rounds; bare inserts of the same kind of rows take turns with the appends, and no merges run. CPU is the engine's, except "own CPU". A single process that stores events keeps the ids of the last weeks in memory.`,
    [head, ...rows],
  );
}

export async function openBed(): Promise<AppendBed> {
  const running = await startEngine();
  const { url, username, password, pid } = running;
  if (pid === null) throw new Error("The event engine has ended.");
  const client = createClient({
    url,
    username,
    password,
    request_timeout: 300_000,
    log: { level: ClickHouseLogLevel.OFF },
    use_multipart_params_auto: true,
  });
  const address = { url, username, password };
  const store = clickhouseEventStore(address);
  await store.migrate();
  return { client, address, pid, store, engine: engineClient(client) };
}

export async function closeBed({ client, store, pid }: AppendBed): Promise<void> {
  await store.close();
  await client.close();
  process.kill(pid, "SIGKILL");
}

async function fill(client: ClickHouseClient, idSql: string, rows: number): Promise<void> {
  await client.command({
    query: `INSERT INTO stored_ids (org_id, event_id, received_at)
      SELECT concat('0199f3c2-77aa-7c3d-9f10-', leftPad(toString(number % ${ORGS}), 12, '0')), ${idSql},
        now64(3) - toIntervalMillisecond(rand64() % ${DAYS * DAY_MS})
      FROM numbers(${rows})`,
  });
}

async function measure(bed: AppendBed, nextId: () => string): Promise<string[]> {
  await mergesEnd(bed.client);
  const { store: alone, loaded } = await openOnlyWriter(bed, nextId);
  const lookups = new Cost(bed.pid);
  for (let round = 0; round < LOOKUP_ROUNDS; round++) {
    const keys = keysOf(storedEvents(ROWS, nextId));
    await lookups.of(() => loadStoredKeys(bed.engine, "stored_ids", { keys, since: MONTH_AGO }));
  }
  // Merges start at any time. Merges of the rows cost several times an insert, and would be charged to whatever runs then.
  await setMerges(bed, "STOP");
  const newCost = () => new Cost(bed.pid);
  const [bare, rowsAlone, appends, shared] = [newCost(), newCost(), newCost(), newCost()];
  let own = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const [plain, unmetered, metered, others] = [1, 2, 3, 4].map(() => storedEvents(ROWS, nextId));
    const values = plain!.map(toRow);
    await bare.of(() => bed.client.insert({ table: "raw_events", format: "JSONEachRow", values }));
    await rowsAlone.of(() => bed.store.appendUnmetered(unmetered!));
    const before = process.cpuUsage();
    await appends.of(() => alone.append(metered!));
    own += ownCpuUs(before);
    await shared.of(() => bed.store.append(others!));
  }
  await setMerges(bed, "START");
  await alone.close();
  const [count = 1, ofMonth = 1] = await numbers(bed.client, COUNT_SQL);
  const usage = new Cost(bed.pid);
  await usage.of(() => bed.store.countReceived(COUNTED_ORGS, monthOf(Date.now())));
  const [disk = 0, index = 0] = await numbers(bed.client, SIZE_SQL);
  return [
    formatSpread(spreadOf(lookups.ms)),
    formatSpread(spreadOf(appends.ms)),
    ...[lookups, bare, rowsAlone, appends].map((cost) => formatFigure(cost.cpuUs / (cost.ms.length * ROWS))),
    ...[bare, rowsAlone].map((cost) => (appends.cpuUs / cost.cpuUs).toFixed(2)),
    formatFigure(shared.cpuUs / (ROUNDS * ROWS)),
    formatFigure(own / (ROUNDS * ROWS)),
    loaded,
    formatFigure(disk / count),
    formatFigure(index / count),
    formatFigure((usage.cpuUs * 1000) / ofMonth),
  ];
}

/** Writes an event as a plain client would: the fields that it has. */
function toRow(event: StoredEvent): object {
  const values = EVENT_FIELD_LIST.map(({ name, property }) => [name, event[property]] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null && value !== ""));
}

/** Opens a store as a sole writer does, and waits until the ids are in memory. Returns the store and what that took. */
async function openOnlyWriter(bed: AppendBed, nextId: () => string) {
  const [loading, own, startedAt] = [new Cost(bed.pid), process.cpuUsage(), performance.now()];
  const inMemory = Promise.withResolvers<string>();
  const log = {
    info: ({ bytes = 0 }: { readonly bytes?: number }) =>
      inMemory.resolve(`${formatFigure(bytes / 2 ** 20)} MiB`),
    warn: (_: object, message: string) => inMemory.reject(new Error(message)),
  };
  const store = clickhouseEventStore({ ...bed.address, onlyWriter: { log } });
  await loading.of(() => Promise.all([inMemory.promise, store.append(storedEvents(1, nextId))]));
  const seconds = [loading.cpuUs / 1e6, ownCpuUs(own) / 1e6, (performance.now() - startedAt) / 1000];
  const loaded = [await inMemory.promise, ...seconds.map((s) => `${formatFigure(s)} s`)].join(", ");
  return { store, loaded };
}

function ownCpuUs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return user + system;
}

async function setMerges({ client }: AppendBed, action: "STOP" | "START"): Promise<void> {
  for (const table of ["raw_events", "analysis", "stored_ids"])
    await client.command({ query: `SYSTEM ${action} MERGES ${table}` });
}

const MONTH_AGO = Date.now() - 35 * DAY_MS;
const COUNTED_ORGS = [...new Set(storedEvents(ORGS, timeOrderedId).map(({ orgId }) => orgId))];
const COUNT_SQL = "SELECT count(), countIf(toYYYYMM(received_at) = toYYYYMM(now())) FROM stored_ids";
const SIZE_SQL = `SELECT sum(bytes_on_disk), sum(primary_key_bytes_in_memory + index_granularity_bytes_in_memory)
  FROM system.parts WHERE active AND table = 'stored_ids'`;

function keysOf(events: readonly StoredEvent[]): readonly EventKey[] {
  return events.map(({ orgId, eventId }) => [orgId, eventId]);
}
