import type { Erasure } from "@assay/domain";
import type { BoundQuery } from "../engine/engine-client.ts";
import type { EventEngine } from "../engine/event-engine.ts";
import { outdateDays } from "../units/fold-days.ts";

/** A mutation reads each part once for any number of users. Ids have up to 1 KiB, and a server accepts queries of 256 KiB. */
const USERS_PER_MUTATION = 50;
const EXPERIMENTS_PER_MUTATION = 200;

type ErasedTable = "raw_events" | "analysis" | "unit_days" | "unit_states";

/** A day of receipt in the raw log, and the number of rows to remove. The other tables have one partition. */
type Partition = readonly [id: string, seen: number, hidden: number];

/**
 * Removes users' rows from both logs, and the cells computed from them, from the disk: the engine deletes replaced
 * files after a minute, or within ten if it is idle. Only parts with such rows are rewritten. Returns the number of
 * rows found in the logs, so that a caller knows when none is left: the next erasure finds rows that were inserted in
 * between, and those that an interrupted erasure left.
 */
export async function eraseUsers(engine: EventEngine, erasures: readonly Erasure[]): Promise<number> {
  let found = 0;
  for (let start = 0; start < erasures.length; start += USERS_PER_MUTATION) {
    const chunk = erasures.slice(start, start + USERS_PER_MUTATION);
    // First, because the log shows which experiments had these users.
    await eraseStates(ofUsers(chunk, "analysis"), engine);
    for (const table of ["raw_events", "analysis"] as const)
      found += await eraseFrom(table, ofUsers(chunk, table), engine);
    // All cells of a user go; what the user did since the request is folded again.
    const cells = ofUsers(chunk, "unit_days");
    await outdateDays(engine, cells);
    await eraseFrom("unit_days", cells, engine);
  }
  return found;
}

function ofUsers(erasures: readonly Erasure[], table: ErasedTable): BoundQuery {
  const ofUser = (i: number) =>
    table === "unit_days"
      ? `unit_id = {user_${i}: String}`
      : `user_id = {user_${i}: String} AND received_at <= fromUnixTimestamp64Milli({until_${i}: Int64})`;
  const conditions = erasures.map((_, i) => `(org_id = {org_${i}: String} AND ${ofUser(i)})`);
  const params = erasures.flatMap(({ orgId, userId, requestedAt }, i) => [
    [`org_${i}`, orgId],
    [`user_${i}`, userId],
    [`until_${i}`, requestedAt],
  ]);
  return { sql: conditions.join(" OR "), params: Object.fromEntries(params) };
}

/**
 * Removes the states of experiments that had these users; the next night computes them again. A night that runs meanwhile may still write
 * a state with a user's sums, under a hash of the id. Nothing reads it, and it is dropped with all others after three days.
 */
async function eraseStates({ sql, params }: BoundQuery, engine: EventEngine): Promise<void> {
  const experiments = await engine.rows<[orgId: string, experimentId: string]>(
    `SELECT DISTINCT org_id, experiment_id FROM analysis WHERE ${sql}`,
    params,
  );
  for (let start = 0; start < experiments.length; start += EXPERIMENTS_PER_MUTATION) {
    const chunk = experiments.slice(start, start + EXPERIMENTS_PER_MUTATION);
    const conditions = chunk.map(
      (_, i) => `(org_id = {org_${i}: String} AND experiment_id = {experiment_${i}: String})`,
    );
    const ids = chunk.flatMap(([orgId, experimentId], i) => [
      [`org_${i}`, orgId],
      [`experiment_${i}`, experimentId],
    ]);
    await eraseFrom("unit_states", { sql: conditions.join(" OR "), params: Object.fromEntries(ids) }, engine);
  }
}

/** Also counts hidden rows: those of a removed experiment stay on disk until their part is merged. */
async function eraseFrom(
  table: ErasedTable,
  { sql, params }: BoundQuery,
  engine: EventEngine,
): Promise<number> {
  const partitions = await engine.rows<Partition>(
    `SELECT id, sum(seen), sum(hidden) FROM ${engine.perShard(
      `SELECT _partition_id AS id, countIf(_row_exists = 1) AS seen, countIf(_row_exists = 0) AS hidden FROM ${table}
       WHERE ${sql} GROUP BY id`,
    )} GROUP BY id ORDER BY id`,
    params,
    { apply_deleted_mask: 0 },
  );
  let found = 0;
  for (const [id, seen, hidden] of partitions) {
    const inPartition = "IN PARTITION ID {id: String}";
    const changes = [
      ...(seen > 0 ? [`DELETE ${inPartition} WHERE ${sql}`] : []),
      ...(hidden > 0 ? [`APPLY DELETED MASK ${inPartition}`] : []),
    ];
    const alter = `ALTER TABLE ${engine.onNodes(table)} ${changes.join(", ")}`;
    await engine.command(alter, { id, ...params }, { mutations_sync: "1" });
    found += seen + hidden;
  }
  return found;
}
