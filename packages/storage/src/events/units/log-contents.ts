import { DAY_MS, DomainError, dayOf } from "@assay/domain";
import { keepLastUsed, keptFor } from "../../last-used.ts";
import type { EventEngine, TablePart } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";
import { IS_COUNTED_BY_TOKENS, TOKEN_COLUMNS } from "../sql/call-cost-sql.ts";
import { NOT_SUPERSEDED } from "../sql/conditions.ts";
import { IS_SAMPLED } from "../sql/event-weight.ts";
import { keepContents, loadKeptContents } from "./kept-contents.ts";
import { partKey as keyOf, whilePartsStay } from "./known-answers.ts";
import { LOG_MARK, type LoggedEvents, type PartContents, tokenMark } from "./logged-events.ts";

/** Whose events: those of one experiment, or of the whole org (null). */
export interface LogScope {
  readonly orgId: string;
  readonly experimentId: string | null;
}

/**
 * The log of all events, or the days of the raw log on which events were received from an instant on (epoch milliseconds). For the raw
 * log, the rows that counted in `of` count.
 */
export type ReadLog =
  | "analysis"
  | { readonly rawSince: number; readonly of: Pick<LogContents, "overruled" | "listed"> };

/** The condition of the counted rows of an org without overruled ids: all rows. */
export const EVERY_ROW = "1";

/** The parts of tables at a moment. */
export interface ListedParts {
  readonly parts: readonly TablePart[];
  /** Parts of the raw log are listed from this time on, epoch milliseconds. */
  readonly rawSince: number;
}

/** The content of a log at a moment. */
export interface LogContents {
  /** The parts that were read, and the parts of the tables that say which events count and which days are folded. */
  readonly listed: ListedParts;
  /** The condition of the rows included: `EVERY_ROW`, or the condition that no trusted sender overruled the id. */
  readonly counted: string;
  /** Changes when another id of the org is overruled. */
  readonly overruled: string;
  readonly byExperiment: ReadonlyMap<string, readonly LoggedEvents[]>;
  /** The events of all experiments. */
  readonly all: readonly LoggedEvents[];
}

interface Known {
  /** Changes when another id of the org is overruled. */
  readonly overruled: string;
  /** By the part's key. */
  readonly parts: Map<string, PartContents>;
  /** The combined content of all parts; null after another part was read. All experiments of a night need the same. */
  contents: Omit<LogContents, "listed"> | null;
}

/** What was read of the parts of a table, by engine and scope. */
const knownOf = new WeakMap<EventEngine, Map<string, Known>>();

/** Number of scopes whose parts are remembered. */
const SCOPES_KEPT = 8;

const MOST_TRIES = 20;

/** Maximum number of rows that one query reads, in about twenty seconds. */
const ROWS_AT_ONCE = 100_000_000;

/** From this many newly read events on, contents are stored for other processes: reading fewer is faster than a look-up. */
const EVENTS_FOR_KEEPING = 100_000;

const nameOf = ({ orgId, experimentId }: LogScope, log: ReadLog) =>
  JSON.stringify([orgId, experimentId, log === "analysis" ? log : log.rawSince]);

/** Returns whether this process has recently read the org's log. */
export function knowsLog(engine: EventEngine, orgId: string): boolean {
  return knownOf.get(engine)?.has(nameOf({ orgId, experimentId: null }, "analysis")) === true;
}

interface ReadOptions {
  readonly log?: ReadLog;
  /** Also lists parts of the raw log from this time on, epoch milliseconds. A separate list would take as long again. */
  readonly rawSince?: number;
  /** Limits that tests lower. */
  readonly eventsForKeeping?: number;
  readonly rowsAtOnce?: number;
}

/**
 * Returns the content of a log. The engine never changes a part of a table: it adds parts, and merges some into a new one. So only parts
 * that are new since the last call are read, which is little even while events arrive. If a part is merged while it is being read, its
 * replacement is read instead. The content of a whole org's analysis log is also stored in the event store, so that a process that
 * started since the previous night reads only new parts too.
 */
export async function loadLogContents(
  engine: EventEngine,
  scope: LogScope,
  {
    log = "analysis",
    rawSince = Number.POSITIVE_INFINITY,
    eventsForKeeping = EVENTS_FOR_KEEPING,
    rowsAtOnce = ROWS_AT_ONCE,
  }: ReadOptions = {},
): Promise<LogContents> {
  const list = () => listParts(engine, log, rawSince);
  let listed = log === "analysis" || log.of.listed.rawSince > log.rawSince ? await list() : log.of.listed;
  const overruled = log === "analysis" ? await loadOverruled(engine, scope.orgId, listed) : log.of.overruled;
  const counted = overruled === "0 0" ? EVERY_ROW : NOT_SUPERSEDED;
  const isKept = scope.experimentId === null && log === "analysis";
  const keepKey = { orgId: scope.orgId, counted: overruled };
  const found = await knownFor(engine, nameOf(scope, log), overruled, () =>
    isKept ? loadKeptContents(engine, keepKey) : Promise.resolve(new Map()),
  );
  const known = found.parts;
  let eventsRead = 0;
  for (let tries = 0; tries < MOST_TRIES; listed = await list()) {
    const parts = partsOfLog(listed, log);
    const missing = parts.filter((part) => !known.has(keyOf(part)));
    const some = readAtOnce(missing, rowsAtOnce);
    const before = known.size;
    if (some.length > 0) {
      const read = await readParts(engine, { ...scope, counted, log }, some);
      const now = new Set(partsOfLog(await list(), log).map(keyOf));
      for (const part of some) {
        const key = keyOf(part);
        if (!now.has(key) || !read.nodes.has(part.node)) continue;
        const contents = read.parts.get(placeOf(part)) ?? new Map();
        known.set(key, contents);
        found.contents = null;
        for (const { events } of [...contents.values()].flat()) eventsRead += events;
      }
    }
    if (known.size === before || some.length === missing.length) tries += 1;
    const keys = new Set(parts.map(keyOf));
    if (![...keys].every((key) => known.has(key))) continue;
    if (found.contents !== null && known.size === keys.size) return { ...found.contents, listed };
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    const byExperiment = joined([...known.values()]);
    found.contents = { counted, overruled, byExperiment, all: [...byExperiment.values()].flat() };
    if (isKept && eventsRead >= eventsForKeeping) await keepContents(engine, keepKey, known);
    return { ...found.contents, listed };
  }
  throw new DomainError(
    "storage-unavailable",
    "The event store merges its parts faster than they can be read.",
    { retryAfterSeconds: 5 },
  );
}

/** Returns the first of the parts, as many as one query can read within its time limit. */
function readAtOnce(parts: readonly TablePart[], most: number): readonly TablePart[] {
  let rows = 0;
  const end = parts.findIndex((part) => {
    rows += part.rows;
    return rows > most;
  });
  return end === -1 ? parts : parts.slice(0, Math.max(1, end));
}

const placeOf = ({ node, name }: Pick<TablePart, "node" | "name">) => `${node} ${name}`;

/** Tables whose parts are listed together with those of the analysis log. */
const ALSO_LISTED = ["superseded_ids", "day_folds"] as const;

async function listParts(engine: EventEngine, log: ReadLog, alsoRawSince: number): Promise<ListedParts> {
  const rawSince = log === "analysis" ? alsoRawSince : log.rawSince;
  const hasRaw = rawSince < Number.POSITIVE_INFINITY;
  const parts = await engine.partsOf(
    [...(log === "analysis" ? [log, ...ALSO_LISTED] : []), ...(hasRaw ? (["raw_events"] as const) : [])],
    hasRaw ? partitionOf(rawSince) : undefined,
  );
  return { parts, rawSince };
}

const partitionOf = (at: number) => dayOf(at).replaceAll("-", "");

function partsOfLog({ parts }: ListedParts, log: ReadLog): readonly TablePart[] {
  if (log === "analysis") return parts.filter(({ table }) => table === log);
  const first = partitionOf(log.rawSince);
  return parts.filter(({ table, partition }) => table === "raw_events" && partition >= first);
}

async function knownFor(
  engine: EventEngine,
  name: string,
  overruled: string,
  load: () => Promise<Map<string, PartContents>>,
): Promise<Known> {
  const scopes = keptFor(knownOf, engine);
  const found = scopes.get(name);
  const known = found?.overruled === overruled ? found : { overruled, parts: await load(), contents: null };
  keepLastUsed(scopes, [name, known], SCOPES_KEPT);
  return known;
}

function loadOverruled(engine: EventEngine, orgId: string, { parts }: ListedParts): Promise<string> {
  return whilePartsStay(engine, { table: "superseded_ids", orgId, parts }, async () => {
    const [row] = await engine.rows<[string]>(
      `SELECT concat(toString(count()), ' ', toString(groupBitXor(cityHash64(event_id))))
       FROM (SELECT DISTINCT event_id FROM superseded_ids WHERE org_id = {org_id: String})`,
      { org_id: orgId },
    );
    return row![0];
  });
}

interface ReadParts {
  /** The nodes that answered. On a cluster, this may be another replica than the one that listed the parts. */
  readonly nodes: ReadonlySet<string>;
  /** By node and name. */
  readonly parts: ReadonlyMap<string, PartContents>;
}

/** Writes the marks of an event. */
const MARKS_SQL = [
  ...TOKEN_COLUMNS.map((name) => [tokenMark(name), `isNotNull(${name})`] as const),
  [LOG_MARK.sampled, IS_SAMPLED] as const,
  [LOG_MARK.exposure, "type = 'exposure' AND variant != ''"] as const,
  [LOG_MARK.byTokens, IS_COUNTED_BY_TOKENS] as const,
]
  .map(([bit, sql]) => `${bit} * (${sql})`)
  .join(" + ");

async function readParts(
  engine: EventEngine,
  { orgId, experimentId, counted, log }: LogScope & { readonly counted: string; readonly log: ReadLog },
  parts: readonly TablePart[],
): Promise<ReadParts> {
  const ofExperiment = experimentId === null ? "" : "AND experiment_id = {experiment_id: String}";
  const sql = `
    SELECT hostName() AS node, _part AS part, experiment_id, toFloat64(toUInt16(toDate(occurred_at))) AS occurred_on,
      toFloat64(toUInt16(toDate(received_at))) AS received_on, toFloat64(count()) AS events,
      toUInt64(sum(toUnixTimestamp64Milli(occurred_at))) AS occurred_sum,
      toUInt64(sum(toUnixTimestamp64Milli(received_at))) AS received_sum,
      toFloat64(toUnixTimestamp64Milli(min(occurred_at))) AS first_at, toFloat64(groupBitOr(toUInt16(${MARKS_SQL}))) AS marks
    FROM ${log === "analysis" ? log : "raw_events"}
    WHERE org_id = {org_id: String} ${ofExperiment} AND ${counted} AND _part IN {parts: Array(String)}
    GROUP BY part, experiment_id, occurred_on, received_on
    UNION ALL SELECT hostName(), '', '', 0., 0., 0., 0, 0, 0., 0.`;
  const names = [...new Set(parts.map(({ name }) => name))];
  const answer = await engine.rowBinary(
    `SELECT toString(node), toString(part), experiment_id, occurred_on, received_on, events, occurred_sum, received_sum, first_at, marks
     FROM ${engine.perShard(sql)}`,
    { org_id: orgId, experiment_id: experimentId, parts: names },
    SETTINGS,
  );
  const nodes = new Set<string>();
  const found = new Map<string, Map<string, LoggedEvents[]>>();
  const rows = new RowBinaryReader(answer);
  while (!rows.isAtEnd()) {
    const [node, name, experiment] = [rows.string(), rows.string(), rows.string()];
    const logged = readLogged(rows);
    nodes.add(node);
    if (name === "") continue;
    const place = placeOf({ node, name });
    const part = found.get(place) ?? new Map<string, LoggedEvents[]>();
    found.set(place, part);
    const ofExperiments = part.get(experiment) ?? [];
    part.set(experiment, ofExperiments);
    ofExperiments.push(logged);
  }
  return { nodes, parts: found };
}

function readLogged(rows: RowBinaryReader): LoggedEvents {
  const [occurredOn, receivedOn] = [DAY_MS * rows.float64(), DAY_MS * rows.float64()];
  const [events, occurredSum, receivedSum] = [rows.float64(), rows.uint64(), rows.uint64()];
  const [firstAt, marks] = [rows.float64(), rows.float64()];
  return { occurredOn, receivedOn, events, occurredSum, receivedSum, firstAt, marks };
}

/** One thread, like a night's other queries. */
const SETTINGS = { max_threads: 1, load_balancing: "in_order" } as const;

function joined(parts: readonly PartContents[]): ReadonlyMap<string, readonly LoggedEvents[]> {
  const all = new Map<string, LoggedEvents[]>();
  for (const part of parts)
    for (const [experimentId, logged] of part) {
      const known = all.get(experimentId);
      if (known === undefined) all.set(experimentId, [...logged]);
      else known.push(...logged);
    }
  return all;
}
