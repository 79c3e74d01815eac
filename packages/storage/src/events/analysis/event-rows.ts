import {
  type CallTokens,
  costOf,
  DAY_MS,
  type EventsOfUnits,
  type ExperimentUnit,
  isTruncated,
  type ModelPrice,
  priceFinder,
  TEST_USER_PREFIX,
  weightOfEvent,
} from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { type NamesColumn, readNative } from "../engine/native.ts";
import { TOKEN_COLUMNS, TOKENS } from "../sql/call-cost-sql.ts";
import { countedRows, EVENT_KEY } from "../sql/conditions.ts";
import type { SelectedEvents } from "../sql/selected-events.ts";
import type { RunPart } from "../units/agent-runs.ts";
import { runsFormOf } from "../units/unit.ts";
import { MARK } from "./event-kind.ts";
import { KIND_COLUMNS, KindTable, type RowKind } from "./kind-table.ts";
import { isCost, type QueryColumns, type SourceColumn } from "./metric-columns.ts";
import { andOfPartSql, hashSql, ON_ONE_THREAD, type Part, partParams, USER_KEY } from "./parts.ts";

const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The boolean values of a row, as bits of its `flags`. */
const FLAG = { error: 1, test: 2, testUser: 4, estimated: 8, completed: 16 } as const;

/** Writes the number (exact in a double) that identifies an event's run within its unit; 0 for none. If the unit is the run, always one run. */
function runKeySql(unit: ExperimentUnit): string {
  return unit === "run"
    ? "toFloat64(1)"
    : "if(run_id = '', 0, 1 + toFloat64(bitShiftRight(sipHash64(run_id), 12)))";
}

/** The query for which rows are read. */
export interface RowsQuery extends EventsOfUnits {
  readonly until: number;
  readonly prices: readonly ModelPrice[];
}

/** Which rows and columns are read. */
export interface RowsParts {
  readonly used: QueryColumns;
  readonly where: SelectedEvents;
  readonly part: Part;
  readonly withUserIds: boolean;
  /** Numeric columns in which no row has a value. They are not sent. */
  readonly absent: readonly string[];
  /** Whether ids of the org may be overruled. */
  readonly isOverruled: boolean;
}

/**
 * Reads the events of an experiment's users in a part, on each shard: one row per event, unordered. The engine only reads and sends,
 * because grouping, sorting or pricing wide rows there takes several times as long as reading them.
 */
export async function readEventRows(
  engine: EventEngine,
  query: RowsQuery,
  parts: RowsParts,
): Promise<EventRows> {
  const { sql, params } = rowsQuery(query, parts);
  const answer = await engine.native(
    engine.fromShards(sql),
    { ...params, ...partParams(parts.part) },
    ON_ONE_THREAD,
  );
  return new EventRows(answer, query.prices, parts);
}

/** Names in the SQL are the log's columns. Every value is bound. */
function rowsQuery(
  query: RowsQuery,
  { used, where, part, withUserIds, absent, isOverruled }: RowsParts,
): BoundQuery {
  const { counted, params } = countedRows(query, isOverruled);
  const hash = hashSql(query.unit);
  const runs = runsFormOf(used.values);
  const flags = {
    error: "coalesce(error, 0)",
    test: "coalesce(marked_test, 0)",
    testUser: "startsWith(user_id, {test_prefix: String})",
    estimated: "coalesce(usage_estimated, 0)",
    ...(runs !== null && { completed: "coalesce(completed, 0)" }),
  };
  const bits = Object.entries(flags).map(([name, sql]) => `${FLAG[name as keyof typeof FLAG]} * ${sql}`);
  return {
    sql: `
      SELECT ${hash} AS hash, type, ${KIND_COLUMNS.join(", ")}, finish_reason, service_tier,
        toUInt8(${bits.join(" + ")}) AS flags, toFloat64(toUnixTimestamp64Milli(occurred_at)) AS at,
        toFloat64(toUnixTimestamp64Milli(received_at)) AS received, ${EVENT_KEY} AS event_key,
        if(type = 'exposure', event_id, '') AS exposure_id ${withUserIds ? ", user_id" : ""},
        ${query.unit === "user" ? "" : `${USER_KEY} AS user_key,`}
        ${runs === null ? "" : `${runKeySql(query.unit)} AS run_key,`}
        ${runs?.hasHandoffs === true ? "agent_name," : ""}
        ${numberColumns(used)
          .filter((name) => !absent.includes(name))
          .join(", ")}
      FROM ${where.table}
      WHERE ${counted} AND occurred_at < fromUnixTimestamp64Milli({until: Int64}) AND ${where.sql}${andOfPartSql(part, hash)}
        ${absent.map((name) => `AND isNull(${name})`).join(" ")}`,
    params: { ...params, ...where.params, until: query.until, test_prefix: TEST_USER_PREFIX },
  };
}

/** The numeric columns to read: for the facts, for costs, and for the metrics. */
function numberColumns({ sources, isWeighted }: QueryColumns): readonly string[] {
  const weights = isWeighted ? ["sampling_probability"] : [];
  return [...new Set(["cost_usd", ...TOKEN_COLUMNS, ...sources.flatMap(columnOf), ...weights])];
}

/** The columns of a source. Sources of runs need several. */
function columnOf({ source }: SourceColumn): readonly string[] {
  if (source.event === "run") return [];
  return [source.event === "model_call" ? source.field : "value"];
}

/** A user's events as row indexes, unordered. A redelivered event may be contained twice. */
export interface UserEvents {
  readonly hash: bigint;
  readonly rows: EventRows;
  readonly events: readonly number[];
}

/** Up to this many events are compared pairwise. */
const FEW_EVENTS = 16;

/** The events of many users, and the values of single events. */
export class EventRows {
  readonly length: number;
  /** Epoch milliseconds. */
  readonly at: Float64Array;
  readonly received: Float64Array;
  readonly kinds: readonly RowKind[];
  readonly kindOf: Uint32Array;
  readonly #hashes: BigUint64Array;
  readonly #eventKeys: BigUint64Array;
  readonly #keyHalves: Uint32Array;
  readonly #flags: Uint8Array;
  readonly #finish: NamesColumn;
  readonly #isTruncated: readonly boolean[];
  readonly #tier: NamesColumn;
  readonly #exposureIds: readonly string[];
  readonly #userIds: readonly string[];
  readonly #userKeys: Float64Array;
  readonly #runKeys: Float64Array;
  readonly #agents: NamesColumn;
  readonly #numbers: Readonly<Record<string, Float64Array>>;
  readonly #valueOf: readonly ((i: number) => number)[];
  readonly #findPrice: ReturnType<typeof priceFinder>;
  readonly #priceOf = new Map<number, ModelPrice | null>();

  constructor(answer: Buffer, prices: readonly ModelPrice[], { used, absent }: RowsParts) {
    const columns = readNative(answer);
    this.length = columns.rows;
    this.at = columns.numbers("at");
    this.received = columns.numbers("received");
    this.#hashes = columns.integers("hash");
    this.#eventKeys = columns.integers("event_key");
    this.#keyHalves = new Uint32Array(this.#eventKeys.buffer);
    this.#flags = columns.bytes("flags");
    this.#finish = columns.names("finish_reason");
    this.#isTruncated = this.#finish.names.map(isTruncated);
    this.#tier = columns.names("service_tier");
    this.#exposureIds = columns.strings("exposure_id");
    this.#userIds = columns.strings("user_id");
    this.#userKeys = columns.numbers("user_key");
    this.#runKeys = columns.numbers("run_key");
    this.#agents = columns.names("agent_name");
    const none = new Float64Array(this.length).fill(Number.NaN);
    const numbersOf = (name: string) => (absent.includes(name) ? none : columns.numbers(name));
    this.#numbers = Object.fromEntries(numberColumns(used).map((name) => [name, numbersOf(name)]));
    this.#valueOf = used.sources.map((column) => this.#reader(column));
    this.#findPrice = priceFinder(prices);
    const kinds = new KindTable(
      used.sources,
      KIND_COLUMNS.map((name) => columns.names(name)),
    );
    const types = columns.bytes("type");
    this.kindOf = new Uint32Array(this.length);
    for (let i = 0; i < this.length; i++) this.kindOf[i] = kinds.codeOf(types[i]!, i);
    this.kinds = kinds.kinds;
  }

  /** The users, in the order of their hashes. */
  *users(): Generator<UserEvents> {
    // A user's rows are adjacent in each part of the log. Halves of a hash are numbers, which are faster to compare.
    const halves = new Uint32Array(this.#hashes.buffer);
    const compare = (one: number, other: number) =>
      halves[2 * one + 1]! - halves[2 * other + 1]! || halves[2 * one]! - halves[2 * other]!;
    const starts: number[] = [];
    for (let i = 0; i < this.length; i++) if (i === 0 || compare(i, i - 1) !== 0) starts.push(i);
    const ends = Uint32Array.from(starts, (_, run) => starts[run + 1] ?? this.length);
    const runs = Uint32Array.from(starts, (_, run) => run).sort((one, other) =>
      compare(starts[one]!, starts[other]!),
    );
    for (let r = 0; r < runs.length; ) {
      const first = starts[runs[r]!]!;
      const events: number[] = [];
      for (; r < runs.length && compare(starts[runs[r]!]!, first) === 0; r++)
        for (let i = starts[runs[r]!]!; i < ends[runs[r]!]!; i++) events.push(i);
      yield { hash: this.#hashes[first]!, rows: this, events };
    }
  }

  /** Returns the events without the copies of redelivered ones. Of equal events, the one received last stays. */
  withoutCopies(events: readonly number[]): readonly number[] {
    if (events.length < 2 || !this.#hasCopies(events)) return events;
    const byKey = new Map<bigint, number>();
    for (const i of events) {
      const key = this.#eventKeys[i]!;
      const known = byKey.get(key);
      if (known === undefined || this.received[i]! > this.received[known]!) byKey.set(key, i);
    }
    return [...byKey.values()];
  }

  /** Half of a key distinguishes most events, and is a number. */
  #hasCopies(events: readonly number[]): boolean {
    const halves = this.#keyHalves;
    if (events.length > FEW_EVENTS) return new Set(events.map((i) => halves[2 * i]!)).size < events.length;
    for (let e = 1; e < events.length; e++) {
      const half = halves[2 * events[e]!]!;
      for (let f = 0; f < e; f++) if (halves[2 * events[f]!]! === half) return true;
    }
    return false;
  }

  isCall(i: number): boolean {
    return this.kinds[this.kindOf[i]!]!.kind.type === "model_call";
  }

  /** The variant that the event names; empty if none. */
  variant(i: number): string {
    return this.kinds[this.kindOf[i]!]!.kind.variant;
  }

  /** Empty unless it was requested. */
  userId(i: number): string {
    return this.#userIds[i] ?? "";
  }

  /** Identifies the user of a unit; 0 if the unit is the user. */
  userKey(i: number): number {
    return this.#userKeys[i]!;
  }

  isTestUser(i: number): boolean {
    return (this.#flags[i]! & FLAG.testUser) !== 0;
  }

  /** Whether the event is marked as a test. */
  isTest(i: number): boolean {
    return (this.#flags[i]! & FLAG.test) !== 0;
  }

  runPart(i: number): RunPart | null {
    return this.kinds[this.kindOf[i]!]!.runPart;
  }

  runKey(i: number): number {
    return this.#runKeys[i]!;
  }

  isFailed(i: number): boolean {
    return (this.#flags[i]! & FLAG.error) !== 0;
  }

  /** Whether a run's end says that the task was completed. */
  isCompleted(i: number): boolean {
    return (this.#flags[i]! & FLAG.completed) !== 0;
  }

  /** Empty unless it was requested. */
  agent(i: number): string {
    return this.#agents.names[this.#agents.codes[i]!] ?? "";
  }

  exposureId(i: number): string {
    return this.#exposureIds[i]!;
  }

  /** An event's value of a source; NaN if it has none. */
  value(i: number, source: number): number {
    if (this.kinds[this.kindOf[i]!]!.isOfSource[source] !== true) return Number.NaN;
    return this.#valueOf[source]!(i);
  }

  #reader(column: SourceColumn): (i: number) => number {
    if (isCost(column)) return (i) => this.cost(i);
    const [name] = columnOf(column);
    if (name === undefined) return () => Number.NaN;
    const numbers = this.#numbers[name]!;
    return (i) => numbers[i]!;
  }

  /** How many events this one counts for. Only valid if the rows were read with weights. */
  weight(i: number): number {
    const probability = this.#numbers.sampling_probability![i]!;
    return weightOfEvent(Number.isNaN(probability) ? null : probability);
  }

  inputTokens(i: number): number {
    return this.#numbers.input_tokens![i]!;
  }

  /** At most the input tokens; NaN unless both are known. */
  cachedInputTokens(i: number): number {
    return Math.min(this.#numbers.cached_input_tokens![i]!, this.inputTokens(i));
  }

  /** The bits of `MARK`: conditions that do not depend on the user's arm. */
  marks(i: number): number {
    const { type } = this.kinds[this.kindOf[i]!]!.kind;
    const flags = this.#flags[i]!;
    const delay = this.received[i]! - this.at[i]!;
    let marks = (flags & (FLAG.test | FLAG.testUser)) !== 0 ? MARK.test : 0;
    if (delay > DAY_MS) marks += MARK.late;
    if (delay < -CLOCK_TOLERANCE_MS) marks += MARK.future;
    if (type !== "model_call") return marks;
    if ((flags & FLAG.estimated) !== 0) marks += MARK.cutStreams;
    if ((flags & FLAG.error) !== 0) return marks;
    marks += MARK.completed;
    const input = this.inputTokens(i);
    if (Number.isNaN(input) || Number.isNaN(this.#numbers.output_tokens![i]!)) marks += MARK.missingUsage;
    if (this.#isTruncated[this.#finish.codes[i]!]) marks += MARK.truncated;
    if (!Number.isNaN(this.cachedInputTokens(i))) marks += MARK.reportsCached;
    if (Number.isNaN(this.cost(i))) marks += MARK.unpriced;
    return marks;
  }

  /** What a call cost in USD: as reported, or else by its tokens and the prices; NaN, not 0, without a price. */
  cost(i: number): number {
    const reported = this.#numbers.cost_usd![i]!;
    if (!Number.isNaN(reported)) return reported;
    const price = this.#price(i);
    if (price === null) return Number.NaN;
    const tokens: Partial<Record<keyof CallTokens, number | null>> = {};
    for (const [column, name] of Object.entries(TOKENS)) {
      const count = this.#numbers[column]![i]!;
      tokens[name] = Number.isNaN(count) ? null : count;
    }
    return costOf(tokens as CallTokens, price) ?? Number.NaN;
  }

  #price(i: number): ModelPrice | null {
    const [kind, tier] = [this.kindOf[i]!, this.#tier.codes[i]!];
    const key = kind * this.#tier.names.length + tier;
    let price = this.#priceOf.get(key);
    if (price === undefined) {
      price = this.#findPrice(this.kinds[kind]!.kind.model, this.#tier.names[tier]!);
      this.#priceOf.set(key, price);
    }
    return price;
  }
}
