import { createHash } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  alertBinding,
  installationBinding,
  type KeyScope,
  keyBinding,
  type SealedSecret,
  StartupError,
  webhookBinding,
} from "@assay/domain";
import SqliteFile from "better-sqlite3";
import { openSqliteControlPlane } from "../control/engine/sqlite.ts";

/** Tables of the database itself, not of the installation in it. */
const OF_THE_DATABASE = /^(sqlite_|assay_migration|schema_compatibility$|judge_reports$)/;

/** A table with its columns in order. */
export interface SnapshotTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The content of a data folder's control plane at the time of the snapshot. Integers are read as `bigint`. */
export interface ControlSnapshot {
  /** Every table of the installation; referenced tables come before those that reference them. */
  readonly tables: readonly SnapshotTable[];
  /** Identifies the installation. It is derived from the first org, so all snapshots of an installation have the same one. */
  readonly fingerprint: string;
  /** Secrets as stored: encrypted with the installation's master key. */
  readonly sealed: readonly SealedSecret[];
  count(table: SnapshotTable): number;
  /** The rows, each with its values in the order of the columns. */
  rows(table: SnapshotTable): Iterable<readonly unknown[]>;
  close(): Promise<void>;
}

/**
 * Copies the database file with its log into a temporary folder and upgrades the copy to the newest schema. The original
 * is only read; no process may be writing to it.
 */
export async function takeControlSnapshot(file: string): Promise<ControlSnapshot> {
  const folder = await mkdtemp(join(tmpdir(), "assay-move-"));
  const copy = join(folder, "control.sqlite");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await copyFile(file, copy);
    await copyFile(`${file}-wal`, `${copy}-wal`).catch(ignoreAbsent);
    await upgrade(copy);
    return readSnapshot(openAlone(copy));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new StartupError(error.message.replaceAll(copy, file), { cause: error });
  } finally {
    // The open file stays readable, and a killed process leaves no files behind.
    await remove();
  }
}

/** Opens a database file without a separate log. */
function openAlone(file: string): SqliteFile.Database {
  const db = new SqliteFile(file);
  db.pragma("journal_mode = DELETE");
  return db;
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

async function upgrade(file: string): Promise<void> {
  const control = openSqliteControlPlane({
    file,
    newId: () => {
      throw new Error("A snapshot creates no ids.");
    },
  });
  try {
    await control.migrate();
  } finally {
    await control.close();
  }
}

function readSnapshot(db: SqliteFile.Database): ControlSnapshot {
  db.defaultSafeIntegers(true);
  const texts = (query: string) => db.prepare<[], string>(query).pluck().all();
  return {
    tables: orderedTables(db),
    fingerprint: fingerprintOf(
      texts("select id || ' ' || created_at from orgs order by created_at, id limit 1"),
    ),
    sealed: sealedSecrets(db),
    count: ({ name }) =>
      Number(
        db
          .prepare<[], bigint>(`select count(*) from ${quoted(name)}`)
          .pluck()
          .get(),
      ),
    rows: ({ name, columns }) =>
      db
        .prepare<[], readonly unknown[]>(`select ${columns.map(quoted).join(", ")} from ${quoted(name)}`)
        .raw()
        .iterate(),
    close: async () => void db.close(),
  };
}

const fingerprintOf = (firstOrg: readonly string[]): string =>
  createHash("sha256")
    .update(firstOrg[0] ?? "no org")
    .digest("hex");

function orderedTables(db: SqliteFile.Database): readonly SnapshotTable[] {
  const names = db
    .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
    .pluck()
    .all()
    .filter((name) => !OF_THE_DATABASE.test(name));
  const ordered = new Set<string>();
  const visit = (name: string) => {
    if (ordered.has(name)) return;
    for (const other of referredBy(db, name)) if (other !== name) visit(other);
    ordered.add(name);
  };
  for (const name of names) visit(name);
  return [...ordered].map((name) => ({ name, columns: columnsOf(db, name) }));
}

const referredBy = (db: SqliteFile.Database, table: string): readonly string[] =>
  db.prepare<[string], string>('select distinct "table" from pragma_foreign_key_list(?)').pluck().all(table);

const columnsOf = (db: SqliteFile.Database, table: string): readonly string[] =>
  db.prepare<[string], string>("select name from pragma_table_info(?) order by cid").pluck().all(table);

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Older keys have no encrypted text. */
function sealedSecrets(db: SqliteFile.Database): readonly SealedSecret[] {
  const read = <Row>(query: string) => db.prepare<[], Row & { readonly sealed: string }>(query).all();
  return [
    ...read<{ orgId: string; scope: KeyScope }>(
      "select org_id as orgId, scope, sealed from api_keys where sealed is not null",
    ).map(({ orgId, scope, sealed }) => ({ binding: keyBinding(orgId, scope), sealed })),
    ...read<{ orgId: string }>("select org_id as orgId, sealed from webhook_secrets").map(
      ({ orgId, sealed }) => ({ binding: webhookBinding(orgId), sealed }),
    ),
    ...read<{ orgId: string; id: string }>(
      "select org_id as orgId, id, target as sealed from alert_channels",
    ).map(({ orgId, id, sealed }) => ({ binding: alertBinding({ orgId, id }, "target"), sealed })),
    ...read<{ name: string }>("select name, sealed from installation_secrets").map(({ name, sealed }) => ({
      binding: installationBinding(name),
      sealed,
    })),
  ];
}
