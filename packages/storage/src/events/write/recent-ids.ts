import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { DAY_MS, type StoredEvent } from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { EngineClient } from "../engine/engine-client.ts";
import { ID_BYTES, idBits, isTimeOrdered, isTimeOrderedSql } from "../sql/id-bits.ts";
import { hashOfId } from "./bloom-filter.ts";
import { IdFilter } from "./id-filter.ts";
import { type AskedKeys, type EventKey, REMEMBERED_MS } from "./stored-ids.ts";
import { TimeOrderedIds, type TimeOrderedIdsLimits } from "./time-ordered-ids.ts";

/** Enough for 53 million random ids. */
const MAX_BYTES = 128 * 1024 * 1024;
const WEEK_MS = 7 * DAY_MS;
/** Batches that waited in the queue for up to a day ask about older ids. */
const HELD_MS = REMEMBERED_MS + DAY_MS;
/** Takes the engine about 0.1 seconds. */
const IDS_PER_PAGE = 250_000;
/** About a millisecond. */
const IDS_PER_TURN = 2_000;
const BYTES_PER_ROW = ID_BYTES + 2;
const RETRY_MS = 60_000;
const IN_BACKGROUND: ClickHouseSettings = { max_threads: 1 };

const WEEK = `toUInt16(intDiv(toUnixTimestamp64Milli(received_at), ${WEEK_MS}))`;
/** The loaded random ids: those received in the remembered weeks. */
const LOADED = `received_at >= fromUnixTimestamp64Milli({from: Int64}) AND NOT (${isTimeOrderedSql("id")})`;

/** The part of a logger that loading needs. */
export interface LoadingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface RecentIdsOptions {
  readonly log: LoadingLog;
  /** Tests lower these. */
  readonly maxBytes?: number;
  readonly idsPerPage?: number;
  readonly retryMs?: number;
  readonly timeOrdered?: TimeOrderedIdsLimits;
}

/**
 * Keeps ids in the memory of the only process that stores events, so that the engine is asked about hardly any new ids. It keeps the
 * random ids of the last weeks, each of which would cost the engine a granule in every part, and the newest time-ordered ids.
 *
 * The first append starts to load the stored ids. Until they are loaded, the engine is asked about every id. If the random ids do not
 * fit, it is asked about every random id.
 */
export class RecentIds {
  readonly #options: Required<RecentIdsOptions>;
  readonly #stopped = new AbortController();
  #known: KnownIds | null = null;
  #state: "loading" | "loaded" | "overfull" = "loading";

  constructor(options: RecentIdsOptions) {
    const defaults = { maxBytes: MAX_BYTES, idsPerPage: IDS_PER_PAGE, retryMs: RETRY_MS, timeOrdered: {} };
    this.#options = { ...defaults, ...options };
  }

  /** Starts loading on the first call, before any of these events is stored. */
  begin(engine: EngineClient, events: readonly StoredEvent[]): void {
    if (this.#known !== null || events.length === 0) return;
    const random = new IdFilter(firstWeekOf(events), this.#options.maxBytes);
    const timeOrdered = new TimeOrderedIds(this.#options.timeOrdered);
    this.#known = { random, timeOrdered };
    const load = async () => {
      await this.#retried(() => timeOrdered.load(engine));
      await this.#loadRandom(engine, random);
    };
    void load().catch((error: unknown) => {
      if (!this.#stopped.signal.aborted)
        this.#options.log.warn({ err: error }, "The recent ids could not be loaded");
    });
  }

  /** Leaves out keys that cannot be stored already. */
  possible(asked: AskedKeys): AskedKeys {
    if (this.#known === null) return asked;
    const { random, timeOrdered } = this.#known;
    const knowsRandom = this.#state === "loaded" && asked.since >= random.firstWeek * WEEK_MS;
    const isPossible = ([, id]: EventKey) => {
      const bits = idBits(id);
      return isTimeOrdered(bits) ? timeOrdered.mayHold(bits) : !knowsRandom || random.mayHold(hashOfId(bits));
    };
    return { keys: asked.keys.filter(isPossible), since: asked.since };
  }

  /** Adds the ids of events before they are stored, because an insert that fails may still have stored them. */
  add(events: readonly StoredEvent[]): void {
    if (this.#known === null || events.length === 0) return;
    const { random, timeOrdered } = this.#known;
    random.forgetBefore(firstWeekOf(events));
    for (const { eventId, receivedAt } of events) {
      const bits = idBits(eventId.toWellFormed());
      if (isTimeOrdered(bits)) timeOrdered.add(bits);
      else random.add(hashOfId(bits), weekOf(receivedAt));
    }
    this.#checkRoom(random);
  }

  /** Stops loading. */
  stop(): void {
    this.#stopped.abort();
  }

  async #loadRandom(engine: EngineClient, filter: IdFilter): Promise<void> {
    const startedAt = performance.now();
    const from = filter.firstWeek * WEEK_MS;
    for (const [week, ids] of await this.#retried(() => countWeeks(engine, from))) filter.reserve(week, ids);
    const { idsPerPage } = this.#options;
    let loaded = 0;
    for (let after = ""; !filter.isOverfull; ) {
      const pageAt = performance.now();
      const page = await this.#retried(() => loadPage(engine, { from, after, idsPerPage }));
      await addRows(filter, page);
      const rows = page.length / BYTES_PER_ROW;
      loaded += rows;
      if (rows < idsPerPage) break;
      after = page.toString("hex", page.length - BYTES_PER_ROW, page.length - BYTES_PER_ROW + ID_BYTES);
      // Uses at most half of a core, both here and in the engine.
      await sleep(performance.now() - pageAt, undefined, { signal: this.#stopped.signal });
    }
    if (!this.#checkRoom(filter)) return;
    this.#state = "loaded";
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    this.#options.log.info({ ids: loaded, bytes: filter.bytes, seconds }, "The recent ids are in memory");
  }

  /** Lets the engine look up every random id once they do not fit. */
  #checkRoom(filter: IdFilter): boolean {
    if (!filter.isOverfull) return true;
    if (this.#state !== "overfull")
      this.#options.log.info({}, "The recent ids do not fit in memory: the event store is asked about each");
    this.#state = "overfull";
    return false;
  }

  async #retried<T>(read: () => Promise<T>): Promise<T> {
    const { log, retryMs } = this.#options;
    const { signal } = this.#stopped;
    for (;;)
      try {
        signal.throwIfAborted();
        return await read();
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error }, "The recent ids could not be read; they will be read again");
        await sleep(retryMs, undefined, { signal });
      }
  }
}

interface KnownIds {
  readonly random: IdFilter;
  readonly timeOrdered: TimeOrderedIds;
}

const weekOf = (receivedAt: number) => Math.floor(receivedAt / WEEK_MS);

/** Returns the first week that look-ups of these and later events need. */
function firstWeekOf(events: readonly StoredEvent[]): number {
  const newest = events.reduce((most, { receivedAt }) => Math.max(most, receivedAt), 0);
  return weekOf(newest - HELD_MS);
}

function countWeeks(engine: EngineClient, from: number): Promise<[week: number, ids: number][]> {
  return engine.rows(
    `SELECT ${WEEK} AS week, count() FROM stored_ids WHERE ${LOADED} GROUP BY week ORDER BY week`,
    { from },
    IN_BACKGROUND,
  );
}

interface Page {
  readonly from: number;
  /** The last id of the page before as hexadecimal digits; empty for the first page. */
  readonly after: string;
  readonly idsPerPage: number;
}

/** Loads a page of ids with their weeks in table order, which needs no sorting. All rows of an id are in one page, even of several weeks. */
function loadPage(engine: EngineClient, { from, after, idsPerPage }: Page): Promise<Buffer> {
  const isAfter = after === "" ? "" : `AND id > toFixedString(unhex({after: String}), ${ID_BYTES})`;
  return engine.rowBinary(
    `SELECT id, ${WEEK} FROM stored_ids WHERE ${LOADED} ${isAfter} ORDER BY id LIMIT ${idsPerPage} WITH TIES`,
    { from, after },
    IN_BACKGROUND,
  );
}

async function addRows(filter: IdFilter, page: Buffer): Promise<void> {
  for (let at = 0; at < page.length; at += BYTES_PER_ROW) {
    filter.add(hashOfId(page, at), page.readUInt16LE(at + ID_BYTES));
    if ((at / BYTES_PER_ROW) % IDS_PER_TURN === 0) await nextTurn();
  }
}
