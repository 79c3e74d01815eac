import { createHash, randomInt } from "node:crypto";
import { DAY_MS, type Day, dayOf, startOfDay } from "@assay/domain";
import type { ClickHouseSettings } from "@clickhouse/client";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { hasCopies } from "../sql/has-copies.ts";
import { inRawSince, type SelectedEvents } from "../sql/selected-events.ts";
import { whilePartsStay } from "./known-answers.ts";
import type { LogContents } from "./log-contents.ts";
import { hasMark, LOG_MARK } from "./logged-events.ts";
import { cellsSql, type FoldedDays, UNIT_DAY_COLUMNS } from "./unit-days.ts";

/**
 * Events whose cells one statement computes. Most of their values are in memory at once. With 2 million, groups spill to disk, which
 * doubles the time.
 */
const EVENTS_PER_INSERT = 1_000_000;

const FOLD_SETTINGS: ClickHouseSettings = { max_threads: 1, max_bytes_before_external_group_by: "400000000" };

/** A day of an org's log: its number of events, and a text that changes when an event comes or goes, or the computation changes. */
type LoggedDay = readonly [day: string, events: number, content: string];

type KnownDay = readonly [day: string, fold: string, content: string];

/**
 * Brings the cells of an org's days before `until` up to date, and returns where they are. `contents` covers the whole org.
 *
 * A day whose rows in the log changed since its last fold is computed again as a whole, under a new number. The last statement writes
 * these numbers to `day_folds`. So a fold that is interrupted, repeated or run concurrently does not change the result, and a day has
 * the same cells whether it was folded once, night by night, or rebuilt.
 */
export async function foldDays(
  engine: EventEngine,
  { orgId, until }: { readonly orgId: string; readonly until: number },
  contents: LogContents,
): Promise<FoldedDays> {
  const logged = loggedDays(contents, until);
  let known = byDay(
    await whilePartsStay(engine, { table: "day_folds", orgId, parts: contents.listed.parts }, () =>
      knownDays(engine, orgId),
    ),
  );
  // Another analysis may have folded them since the parts were listed.
  if (staleDays(logged, known).length > 0) known = byDay(await knownDays(engine, orgId));
  const stale = staleDays(logged, known);
  for (const days of chunksOf(stale)) {
    const fold = nextFold(days.map(([day]) => BigInt(known.get(day)?.[1] ?? 0)));
    await foldChunk(engine, { orgId, fold, contents }, days);
    for (const [day, , content] of days) known.set(day, [day, fold, content]);
  }
  const days = logged.map(([day]) => day);
  return { days, folds: days.map((day) => BigInt(known.get(day)![1])) };
}

/** Lists the UTC days before `until` in order, each with a text that describes its content. */
function loggedDays({ all }: LogContents, until: number): readonly LoggedDay[] {
  const days = new Map<number, { events: number; received: bigint }>();
  for (const { occurredOn, events, receivedSum } of all) {
    if (occurredOn + DAY_MS > until) continue;
    const day = days.get(occurredOn) ?? { events: 0, received: 0n };
    days.set(occurredOn, { events: day.events + events, received: day.received + receivedSum });
  }
  return [...days]
    .sort(([one], [other]) => one - other)
    .map(([day, { events, received }]) => [
      dayOf(day),
      events,
      `${events} ${BigInt.asIntN(64, received)} ${SHAPE}`,
    ]);
}

/** Selects the events of some days. Uses the raw log if it still has all of them, and the analysis log otherwise. */
async function logOf(
  engine: EventEngine,
  { orgId, counted }: { readonly orgId: string; readonly counted: string },
  chunk: readonly LoggedDay[],
): Promise<SelectedEvents> {
  const days = chunk.map(([day]) => day);
  const ofDays = { sql: `toDate(occurred_at) IN {days: Array(Date)} AND ${counted}`, params: { days } };
  const raw = inRawSince(startOfDay(days[0] as Day), ofDays);
  const isInRaw = String(await daysOf(engine, orgId, raw)) === String(chunk);
  return isInRaw ? raw : { table: "analysis", ...ofDays };
}

/** Lists the days of an org's events that a condition selects. */
function daysOf(
  engine: EventEngine,
  orgId: string,
  { table, sql, params }: SelectedEvents,
): Promise<readonly LoggedDay[]> {
  return engine.rows<LoggedDay>(
    `SELECT day, sum(events), concat(toString(sum(events)), ' ', toString(sum(received)), ' ${SHAPE}')
     FROM ${engine.perShard(`
       SELECT toDate(occurred_at) AS day, count() AS events, sum(toUnixTimestamp64Milli(received_at)) AS received
       FROM ${table} WHERE org_id = {org_id: String} AND ${sql}
       GROUP BY day`)}
     GROUP BY day ORDER BY day`,
    { ...params, org_id: orgId },
  );
}

/** A hash of the cells' SQL. Cells from other SQL are computed again. */
const SHAPE = createHash("sha256")
  .update(cellsSql({ table: "analysis", where: "", onceEach: false, byTokens: true }))
  .digest("hex")
  .slice(0, 8);

function knownDays(engine: EventEngine, orgId: string): Promise<readonly KnownDay[]> {
  return engine.rows<KnownDay>(
    `SELECT day, toString(max(fold)), argMax(content, fold) FROM day_folds
     WHERE org_id = {org_id: String} GROUP BY day ORDER BY day`,
    { org_id: orgId },
  );
}

const byDay = (days: readonly KnownDay[]) => new Map(days.map((day) => [day[0], day]));

/** Returns the days whose rows changed since their last fold. */
function staleDays(logged: readonly LoggedDay[], known: ReadonlyMap<string, KnownDay>): readonly LoggedDay[] {
  return logged.filter(([day, , content]) => known.get(day)?.[2] !== content);
}

function* chunksOf(days: readonly LoggedDay[]): Generator<readonly LoggedDay[]> {
  let start = 0;
  let events = 0;
  for (const [index, day] of days.entries()) {
    if (index > start && events + day[1] > EVENTS_PER_INSERT) {
      yield days.slice(start, index);
      start = index;
      events = 0;
    }
    events += day[1];
  }
  if (start < days.length) yield days.slice(start);
}

/** Returns a fold number that is unique and above those of the days' last folds, even if clocks differ. Its upper bits are the time. */
function nextFold(last: readonly bigint[]): string {
  const now = startOfFolds(Date.now()) + BigInt(randomInt(2 ** RANDOM_BITS));
  return String(last.reduce((highest, fold) => (fold >= highest ? fold + 1n : highest), now));
}

const RANDOM_BITS = 20;

function startOfFolds(at: number): bigint {
  return BigInt(at) << BigInt(RANDOM_BITS);
}

interface Fold {
  readonly orgId: string;
  readonly fold: string;
  readonly contents: LogContents;
}

async function foldChunk(
  engine: EventEngine,
  { orgId, fold, contents: { counted, all } }: Fold,
  chunk: readonly LoggedDay[],
): Promise<void> {
  const { table, sql: ofDays, params } = await logOf(engine, { orgId, counted }, chunk);
  const days = new Set(chunk.map(([day]) => startOfDay(day as Day)));
  const logged = all.filter(({ occurredOn }) => days.has(occurredOn));
  const byTokens = hasMark(logged, LOG_MARK.byTokens);
  const onceEach = await hasCopies(engine, {
    ...{ table, sql: `org_id = {org_id: String} AND ${ofDays}`, params: { ...params, org_id: orgId } },
  });
  const parts = Math.ceil(chunk.reduce((total, [, events]) => total + events, 0) / EVENTS_PER_INSERT);
  const columns = Object.keys(UNIT_DAY_COLUMNS);
  const selected = columns.map((name) => OWN_COLUMNS[name] ?? name).join(", ");
  for (let part = 0; part < parts; part++) {
    const ofPart = parts === 1 ? "" : " AND cityHash64(user_id) % {parts: UInt32} = {part: UInt32}";
    const cells = engine.perShard(cellsSql({ table, where: `${ofDays}${ofPart}`, onceEach, byTokens }));
    await engine.insertSelected(
      "unit_days",
      columns,
      { sql: `SELECT ${selected} FROM ${cells}`, params: { ...params, org_id: orgId, fold, parts, part } },
      FOLD_SETTINGS,
    );
  }
  await commit(
    engine,
    chunk.map(([day, , content]) => [orgId, day, fold, content]),
  );
}

/** The columns with the same value for a whole fold. */
const OWN_COLUMNS: Readonly<Record<string, string>> = { org_id: "{org_id: String}", fold: "{fold: UInt64}" };

type Commit = readonly [orgId: string, day: string, fold: string, content: string];

function commit(engine: EventEngine, commits: readonly Commit[]): Promise<void> {
  const lines = commits.map((row) => `${JSON.stringify(row)}\n`).join("");
  return engine.insert("day_folds", ["org_id", "day", "fold", "content"], [lines]);
}

/** Marks the days that contain cells selected by `condition` as outdated, so that the next analysis folds them again. */
export async function outdateDays(engine: EventEngine, { sql, params }: BoundQuery): Promise<void> {
  const days = await engine.rows<[orgId: string, day: string, fold: string]>(
    `SELECT org_id, day, toString(max(fold)) FROM unit_days WHERE ${sql} GROUP BY org_id, day`,
    params,
  );
  if (days.length === 0) return;
  await commit(
    engine,
    days.map(([orgId, day, fold]) => [orgId, day, nextFold([BigInt(fold)]), OUTDATED]),
  );
}

/** Differs from the content of every day. */
const OUTDATED = "";

/** A replaced fold is removed after this many days, when no query that reads it can still be running. */
const DAYS_KEPT = 1;

/** Removes cells that no query reads: those of replaced and of interrupted folds. */
export async function sweepFolds(engine: EventEngine, now: number): Promise<void> {
  const before = String(startOfFolds(now - DAYS_KEPT * DAY_MS));
  const stale = await engine.rows<[orgId: string, day: string, fold: string]>(
    `SELECT org_id, day, toString(fold) FROM (
       SELECT DISTINCT org_id, day, fold FROM ${engine.perShard(
         "SELECT DISTINCT org_id, day, fold FROM unit_days WHERE fold < {before: UInt64}",
       )}
     ) AS cells
     LEFT ANTI JOIN (SELECT org_id, day, max(fold) AS fold FROM day_folds GROUP BY org_id, day) AS current
       USING (org_id, day, fold)`,
    { before },
  );
  for (let start = 0; start < stale.length; start += FOLDS_PER_DELETE) {
    const chunk = stale.slice(start, start + FOLDS_PER_DELETE);
    // ClickHouse rejects a subquery in a mutation of replicated rows.
    await engine.command(
      `DELETE FROM ${engine.onNodes("unit_days")} WHERE fold IN {folds: Array(UInt64)}
         AND concat(org_id, ' ', toString(day), ' ', toString(fold)) IN {keys: Array(String)}`,
      { folds: chunk.map(([, , fold]) => BigInt(fold)), keys: chunk.map((key) => key.join(" ")) },
      { lightweight_deletes_sync: "0" },
    );
  }
}

const FOLDS_PER_DELETE = 1_000;
