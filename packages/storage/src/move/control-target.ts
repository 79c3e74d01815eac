import { Kysely, sql } from "kysely";
import pg from "pg";
import { toStorageError, translateErrors } from "../control/dialect/engine-errors.ts";
import { postgresDialect } from "../control/dialect/postgres-dialect.ts";
import { inTransaction } from "../control/query/in-transaction.ts";
import { upgradeSchema } from "../control/schema/migrator.ts";
import type { Database } from "../control/schema/schema.ts";
import type { ControlSnapshot, SnapshotTable } from "./control-snapshot.ts";
import { findMoveMark, finishMove, type MoveMark, markMove } from "./move-mark.ts";
import type { MovedPart } from "./moved-part.ts";

/** PostgreSQL allows 65,535 parameters. This keeps a statement much smaller. */
const MAX_PARAMETERS = 20_000;
const MAX_CHARACTERS = 4_000_000;
/** Rows in these tables mean that the installation is in use. A first start may fill other tables. */
const IN_USE = ["orgs", "users", "contact_messages"];

/** A secret of the installation from a file in the data folder. */
export interface SealedSecret {
  readonly name: string;
  readonly sealed: string;
}

/** The PostgreSQL database that an installation moves to. */
export interface ControlTarget {
  /** Upgrades the schema to the newest version. */
  migrate(): Promise<void>;
  /** Returns whether no installation is in use in the database. */
  isEmpty(): Promise<boolean>;
  findMark(): Promise<MoveMark | null>;
  mark(source: string): Promise<MoveMark>;
  /**
   * Replaces everything with the snapshot and finishes the move in one transaction. If a count differs or anything
   * throws, nothing changes. A secret from a file is used if the snapshot lacks it.
   */
  fill(
    snapshot: ControlSnapshot,
    secrets: readonly SealedSecret[],
    onRows: (rows: number) => void,
  ): Promise<readonly MovedPart[]>;
  close(): Promise<void>;
}

/** Opens the database for a move; it connects on first use. */
export function openControlTarget(url: string): ControlTarget {
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A lost connection fails its query. Without a listener, the error event would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const db = new Kysely<Database>({ dialect: postgresDialect(pool, ["set client_min_messages = warning"]) });
  return translateErrors(
    {
      migrate: () => upgradeSchema(db),
      isEmpty: () => isEmpty(db),
      findMark: () => findMoveMark(db),
      mark: (source: string) => markMove(db, source),
      fill: (snapshot: ControlSnapshot, secrets: readonly SealedSecret[], onRows: (rows: number) => void) =>
        fill(db, { snapshot, secrets, onRows }),
      close: () => db.destroy(),
    },
    toStorageError,
  );
}

async function isEmpty(db: Kysely<Database>): Promise<boolean> {
  const counts = await Promise.all(IN_USE.map((table) => countRows(db, table)));
  return counts.every((count) => count === 0);
}

interface Filling {
  readonly snapshot: ControlSnapshot;
  readonly secrets: readonly SealedSecret[];
  readonly onRows: (rows: number) => void;
}

class CountsDiffer extends Error {}

async function fill(db: Kysely<Database>, filling: Filling): Promise<readonly MovedPart[]> {
  let parts: readonly MovedPart[] = [];
  try {
    await inTransaction(db, async (tx) => {
      parts = await fillTables(tx, filling);
      if (parts.some(({ isEqual }) => !isEqual)) throw new CountsDiffer();
      await addSecrets(tx, filling.secrets);
      await finishMove(tx);
    });
  } catch (error) {
    if (!(error instanceof CountsDiffer)) throw error;
  }
  return parts;
}

async function fillTables(
  tx: Kysely<Database>,
  { snapshot, onRows }: Filling,
): Promise<readonly MovedPart[]> {
  for (const { name } of [...snapshot.tables].reverse())
    if ((await countRows(tx, name)) > 0) await sql`delete from ${sql.table(name)}`.execute(tx);
  const parts: MovedPart[] = [];
  for (const table of snapshot.tables) {
    for (const rows of batchesOf(snapshot.rows(table), table)) {
      await insertRows(tx, table, rows);
      onRows(rows.length);
    }
    const [source, target] = [snapshot.count(table), await countRows(tx, table.name)];
    parts.push({ name: table.name, source, target, isEqual: source === target });
  }
  return parts;
}

function* batchesOf(
  rows: Iterable<readonly unknown[]>,
  { columns }: SnapshotTable,
): Generator<readonly (readonly unknown[])[]> {
  let batch: (readonly unknown[])[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) if (typeof value === "string") characters += value.length;
    if (batch.length * columns.length < MAX_PARAMETERS && characters < MAX_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function insertRows(
  tx: Kysely<Database>,
  { name, columns }: SnapshotTable,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`));
  await sql`insert into ${sql.table(name)} (${names}) values ${values}`.execute(tx);
}

async function addSecrets(tx: Kysely<Database>, secrets: readonly SealedSecret[]): Promise<void> {
  for (const { name, sealed } of secrets)
    await sql`insert into installation_secrets (name, sealed, created_at)
      values (${name}, ${sealed}, (extract(epoch from now()) * 1000)::bigint) on conflict do nothing`.execute(
      tx,
    );
}

async function countRows(db: Kysely<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ count: string }>`select count(*) as count from ${sql.table(table)}`.execute(
    db,
  );
  return Number(rows[0]?.count ?? 0);
}
