import { StartupError } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { Migrator } from "kysely/migration";
import { dialectOf } from "../dialect/dialect.ts";
import { access } from "./migrations/0001-access.ts";
import { experiments } from "./migrations/0002-experiments.ts";
import { audit } from "./migrations/0003-audit.ts";
import { analysis } from "./migrations/0004-analysis.ts";
import { plansAndMetering } from "./migrations/0005-plans-and-metering.ts";
import { peopleAndBilling } from "./migrations/0006-people-and-billing.ts";
import { runSummaries } from "./migrations/0007-run-summaries.ts";
import { demo } from "./migrations/0008-demo.ts";
import { keyUse } from "./migrations/0009-key-use.ts";
import { judging } from "./migrations/0010-judging.ts";
import { severalProcesses } from "./migrations/0011-several-processes.ts";
import { experimentLife } from "./migrations/0012-experiment-life.ts";
import { sharedMetrics } from "./migrations/0013-shared-metrics.ts";
import { erasures } from "./migrations/0014-erasures.ts";
import { exclusions } from "./migrations/0015-exclusions.ts";
import { runRevisions } from "./migrations/0016-run-revisions.ts";
import { allowedOrigins } from "./migrations/0017-allowed-origins.ts";
import { browserUse } from "./migrations/0018-browser-use.ts";
import { checkoutsAndOverage } from "./migrations/0019-checkouts-and-overage.ts";
import { sessions } from "./migrations/0020-sessions.ts";
import { scim } from "./migrations/0021-scim.ts";
import { serviceTokens } from "./migrations/0022-service-tokens.ts";
import { securityEvents } from "./migrations/0023-security-events.ts";
import { passkeys } from "./migrations/0024-passkeys.ts";
import { requiredPasskeys } from "./migrations/0025-required-passkeys.ts";
import { replays } from "./migrations/0026-replays.ts";
import { picks } from "./migrations/0027-picks.ts";
import { reportLinks } from "./migrations/0028-report-links.ts";
import { priceParts } from "./migrations/0029-price-parts.ts";
import { waitingTraces } from "./migrations/0030-waiting-traces.ts";
import { newestTraces } from "./migrations/0032-newest-traces.ts";
import { tracePieces } from "./migrations/0033-trace-pieces.ts";
import { alerts } from "./migrations/0034-alerts.ts";
import { guardLooks } from "./migrations/0035-guard-looks.ts";
import { holdbackReports } from "./migrations/0036-holdback-reports.ts";
import { datasets } from "./migrations/0037-datasets.ts";
import { rehearsals } from "./migrations/0038-rehearsals.ts";
import { judgedUnits } from "./migrations/0039-judged-units.ts";
import { rehearsalPicks } from "./migrations/0040-rehearsal-picks.ts";
import { rehearsalExperiments } from "./migrations/0041-rehearsal-experiments.ts";
import { traceBatches } from "./migrations/0042-trace-batches.ts";
import type { Database } from "./schema.ts";

/** In order. Never change, rename or remove a released migration. */
const MIGRATIONS = {
  "0001-access": access,
  "0002-experiments": experiments,
  "0003-audit": audit,
  "0004-analysis": analysis,
  "0005-plans-and-metering": plansAndMetering,
  "0006-people-and-billing": peopleAndBilling,
  "0007-run-summaries": runSummaries,
  "0008-demo": demo,
  "0009-key-use": keyUse,
  "0010-judging": judging,
  "0011-several-processes": severalProcesses,
  "0012-experiment-life": experimentLife,
  "0013-shared-metrics": sharedMetrics,
  "0014-erasures": erasures,
  "0015-exclusions": exclusions,
  "0016-run-revisions": runRevisions,
  "0017-allowed-origins": allowedOrigins,
  "0018-browser-use": browserUse,
  "0019-checkouts-and-overage": checkoutsAndOverage,
  "0020-sessions": sessions,
  "0021-scim": scim,
  "0022-service-tokens": serviceTokens,
  "0023-security-events": securityEvents,
  "0024-passkeys": passkeys,
  "0025-required-passkeys": requiredPasskeys,
  "0026-replays": replays,
  "0027-picks": picks,
  "0028-report-links": reportLinks,
  "0029-price-parts": priceParts,
  "0030-waiting-traces": waitingTraces,
  "0032-newest-traces": newestTraces,
  "0033-trace-pieces": tracePieces,
  "0034-alerts": alerts,
  "0035-guard-looks": guardLooks,
  "0036-holdback-reports": holdbackReports,
  "0037-datasets": datasets,
  "0038-rehearsals": rehearsals,
  "0039-judged-units": judgedUnits,
  "0040-rehearsal-picks": rehearsalPicks,
  "0041-rehearsal-experiments": rehearsalExperiments,
  "0042-trace-batches": traceBatches,
};

/** PostgreSQL's codes for a missing privilege, and for a search path without a schema. */
const MAY_NOT_CREATE = /^(42501|3F000)$/;
const MIGRATION_TABLE = "assay_migration";

/**
 * Brings the schema up to date in one transaction. A second process that does the same waits and finds it done. A
 * database with migrations that this version does not know stays as it is: migrations from 0011 on only add things, so
 * processes of the previous version keep running and can restart while the next version is rolled out. Throws a `StartupError`
 * when `schema_compatibility` says that a migration did more, because this version could then damage the data.
 */
export async function upgradeSchema(database: Kysely<Database>): Promise<void> {
  const db = database.withoutPlugins();
  const { error } = await (await createMigrator(db)).migrateToLatest();
  if (!error) return;
  if (MAY_NOT_CREATE.test((error as { readonly code?: string }).code ?? ""))
    throw new StartupError(
      "The user in ASSAY_DATABASE_URL may not create or change Assay's tables: make it their owner, and grant it CREATE and USAGE on a schema of its search_path.",
      { cause: error },
    );
  if (!(await isNewer(db))) throw error;
  if (await isReadable(db)) return;
  throw new StartupError(
    "The control-plane database was written by a newer version of Assay: start that version or a later one, or restore a backup from before the upgrade.",
  );
}

/** Creates the migrator of a database that is read without Kysely plugins. */
export const createMigrator = async (db: Kysely<Database>): Promise<Migrator> =>
  new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: MIGRATION_TABLE,
    migrationLockTableName: `${MIGRATION_TABLE}_lock`,
    // Otherwise, Kysely would mistake the migration table of another schema for ours.
    migrationTableSchema: await dialectOf(db).findSchema(db),
  });

async function isReadable(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql<{
    name: string;
  }>`select readable_from as name from schema_compatibility`.execute(db);
  return rows.every(({ name }) => name in MIGRATIONS);
}

async function isNewer(db: Kysely<Database>): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(MIGRATION_TABLE)}`.execute(db);
    return rows.some(({ name }) => !(name in MIGRATIONS));
  } catch {
    return false; // if the table does not exist, the migration's own error is the one to show
  }
}
