import { DAY_MS, DomainError } from "@assay/domain";
import type { EventEngine, TablePart } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";
import { TOKEN_COLUMNS } from "./call-cost-sql.ts";
import { NOT_SUPERSEDED } from "./conditions.ts";

/** Of which events: of one experiment, or of all that the org has (null). */
export interface LogScope {
  readonly orgId: string;
  readonly experimentId: string | null;
}

/** The events of an experiment that occurred on one day and were received on one, both as UTC midnights in epoch milliseconds. */
export interface LoggedEvents {
  readonly occurredOn: number;
  readonly receivedOn: number;
  readonly events: number;
  /** Sums of their times in epoch milliseconds, modulo 2^64: they differ once an event comes or goes. */
  readonly occurredSum: bigint;
  readonly receivedSum: bigint;
  /** When the first of them occurred, epoch milliseconds. */
  readonly firstAt: number;
  /** Which of `TOKEN_COLUMNS` any of them has a value in, as bits. */
  readonly tokens: number;
}

/** The condition of all rows of an org of which no id is overruled. */
export const EVERY_ROW = "1";

/** What an analysis log has at a moment. */
export interface LogContents {
  /** The condition of the rows that are in it: `EVERY_ROW`, or the condition of those that no trusted sender overruled. */
  readonly counted: string;
  /** By experiment. */
  readonly byExperiment: ReadonlyMap<string, readonly LoggedEvents[]>;
}

type PartContents = ReadonlyMap<string, readonly LoggedEvents[]>;

interface Known {
  /** Differs once an id of the org is overruled. */
  readonly overruled: string;
  /** By the part's key. */
  readonly parts: Map<string, PartContents>;
  /** What they come to together; null once another was read. All experiments of a night ask for the same. */
  contents: LogContents | null;
}

/** What was read of the parts of a table, by engine and scope. */
const knownOf = new WeakMap<EventEngine, Map<string, Known>>();

/** Those that were asked for last. */
const SCOPES_KEPT = 8;

const MOST_TRIES = 20;

/**
 * Returns what the analysis log has. The engine never changes a part of a table: it adds some, and replaces others when it merges them. So only parts
 * that are new since the last time are read, and where events arrive all the time that is little. A part that was merged while it was asked for is asked
 * for again, as what took its place.
 */
export async function loadLogContents(engine: EventEngine, scope: LogScope): Promise<LogContents> {
  const overruled = await loadOverruled(engine, scope.orgId);
  const counted = overruled === "0 0" ? EVERY_ROW : NOT_SUPERSEDED;
  const found = knownFor(engine, scope, overruled);
  const known = found.parts;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const listed = await engine.partsOf("analysis");
    const missing = listed.filter((part) => !known.has(keyOf(part)));
    if (missing.length > 0) {
      const read = await readParts(engine, { ...scope, counted }, missing);
      const now = new Set((await engine.partsOf("analysis")).map(keyOf));
      for (const part of missing) {
        const key = keyOf(part);
        if (!now.has(key) || !read.nodes.has(part.node)) continue;
        known.set(key, read.parts.get(key) ?? new Map());
        found.contents = null;
      }
    }
    const keys = new Set(listed.map(keyOf));
    if (![...keys].every((key) => known.has(key))) continue;
    if (found.contents !== null && known.size === keys.size) return found.contents;
    for (const key of known.keys()) if (!keys.has(key)) known.delete(key);
    found.contents = { counted, byExperiment: joined([...known.values()]) };
    return found.contents;
  }
  throw new DomainError(
    "storage-unavailable",
    "The event store merges its parts faster than they can be read.",
    {
      retryAfterSeconds: 5,
    },
  );
}

const keyOf = ({ node, name }: TablePart) => `${node} ${name}`;

function knownFor(engine: EventEngine, { orgId, experimentId }: LogScope, overruled: string): Known {
  const scopes = knownOf.get(engine) ?? new Map<string, Known>();
  knownOf.set(engine, scopes);
  const name = JSON.stringify([orgId, experimentId]);
  const found = scopes.get(name);
  const known = found?.overruled === overruled ? found : { overruled, parts: new Map(), contents: null };
  scopes.delete(name);
  scopes.set(name, known);
  const [oldest] = scopes.keys();
  if (scopes.size > SCOPES_KEPT) scopes.delete(oldest!);
  return known;
}

async function loadOverruled(engine: EventEngine, orgId: string): Promise<string> {
  const [row] = await engine.rows<[string]>(
    `SELECT concat(toString(count()), ' ', toString(groupBitXor(cityHash64(event_id))))
     FROM (SELECT DISTINCT event_id FROM superseded_ids WHERE org_id = {org_id: String})`,
    { org_id: orgId },
  );
  return row![0];
}

interface ReadParts {
  /** Those that answered: another replica may do so than the one that listed the parts. */
  readonly nodes: ReadonlySet<string>;
  readonly parts: ReadonlyMap<string, PartContents>;
}

async function readParts(
  engine: EventEngine,
  { orgId, experimentId, counted }: LogScope & { readonly counted: string },
  parts: readonly TablePart[],
): Promise<ReadParts> {
  const tokens = TOKEN_COLUMNS.map((name, bit) => `${2 ** bit} * isNotNull(${name})`).join(" + ");
  const ofExperiment = experimentId === null ? "" : "AND experiment_id = {experiment_id: String}";
  const sql = `
    SELECT hostName() AS node, _part AS part, experiment_id, toFloat64(toUInt16(toDate(occurred_at))) AS occurred_on,
      toFloat64(toUInt16(toDate(received_at))) AS received_on, toFloat64(count()) AS events,
      toUInt64(sum(toUnixTimestamp64Milli(occurred_at))) AS occurred_sum,
      toUInt64(sum(toUnixTimestamp64Milli(received_at))) AS received_sum,
      toFloat64(toUnixTimestamp64Milli(min(occurred_at))) AS first_at, groupBitOr(toUInt8(${tokens})) AS tokens
    FROM analysis WHERE org_id = {org_id: String} ${ofExperiment} AND ${counted} AND _part IN {parts: Array(String)}
    GROUP BY part, experiment_id, occurred_on, received_on
    UNION ALL SELECT hostName(), '', '', 0., 0., 0., 0, 0, 0., 0`;
  const names = [...new Set(parts.map(({ name }) => name))];
  const answer = await engine.rowBinary(
    `SELECT toString(node), toString(part), experiment_id, occurred_on, received_on, events, occurred_sum, received_sum, first_at, tokens
     FROM ${engine.perShard(sql)}`,
    { org_id: orgId, experiment_id: experimentId, parts: names },
    SETTINGS,
  );
  const nodes = new Set<string>();
  const found = new Map<string, Map<string, LoggedEvents[]>>();
  const rows = new RowBinaryReader(answer);
  while (!rows.isAtEnd()) {
    const [node, name, experiment] = [rows.string(), rows.string(), rows.string()];
    const [occurredOn, receivedOn] = [DAY_MS * rows.float64(), DAY_MS * rows.float64()];
    const [events, occurredSum, receivedSum] = [rows.float64(), rows.uint64(), rows.uint64()];
    const [firstAt, marks] = [rows.float64(), rows.uint8()];
    nodes.add(node);
    if (name === "") continue;
    const key = keyOf({ node, name });
    const part = found.get(key) ?? new Map<string, LoggedEvents[]>();
    found.set(key, part);
    const logged = part.get(experiment) ?? [];
    part.set(experiment, logged);
    logged.push({ occurredOn, receivedOn, events, occurredSum, receivedSum, firstAt, tokens: marks });
  }
  return { nodes, parts: found };
}

/** On one thread, as a night's other queries. */
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
