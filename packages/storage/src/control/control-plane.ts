import type { Connections, ControlPlane, ControlStores, Coordination } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { adminStore } from "./admin-store.ts";
import { auditStore } from "./audit-store.ts";
import { billingStore } from "./billing-store.ts";
import { endedSessionStore } from "./ended-session-store.ts";
import { toStorageError } from "./engine-errors.ts";
import { experimentStore } from "./experiment-store.ts";
import { inTransaction } from "./in-transaction.ts";
import { inboxStore } from "./inbox-store.ts";
import { installationSecretStore } from "./installation-secret-store.ts";
import { judgeReportStore } from "./judge-report-store.ts";
import { judgementStore } from "./judgement-store.ts";
import { keyStore } from "./key-store.ts";
import { migrateToLatest } from "./migrator.ts";
import { modelPriceStore } from "./model-price-store.ts";
import { orgStore } from "./org-store.ts";
import { peopleStore } from "./people-store.ts";
import { pipelineRunStore } from "./pipeline-run-store.ts";
import { planStore } from "./plan-store.ts";
import { resultStore } from "./result-store.ts";
import type { Database } from "./schema.ts";
import { signInLinkStore } from "./sign-in-link-store.ts";
import { translateErrors } from "./translate-errors.ts";
import { usageStore } from "./usage-store.ts";
import { webhookSecretStore } from "./webhook-secret-store.ts";

/** Binds all stores to one database or one transaction; `newId` makes the ids of orgs and users. */
export const controlStores = (db: Kysely<Database>, newId: () => string): ControlStores => ({
  orgs: orgStore(db),
  people: peopleStore(db, newId),
  signInLinks: signInLinkStore(db),
  endedSessions: endedSessionStore(db),
  experiments: experimentStore(db),
  keys: keyStore(db),
  audit: auditStore(db),
  results: resultStore(db),
  pipelineRuns: pipelineRunStore(db),
  usage: usageStore(db),
  plans: planStore(db),
  webhookSecrets: webhookSecretStore(db),
  modelPrices: modelPriceStore(db),
  billing: billingStore(db),
  judgements: judgementStore(db, newId),
  inbox: inboxStore(db),
  admin: adminStore(db),
  installationSecrets: installationSecretStore(db),
  judgeReports: judgeReportStore(db),
});

interface Opened {
  readonly newId: () => string;
  readonly isShared: boolean;
  readonly coordination: Coordination;
  /** Absent: the database is embedded. */
  readonly connections?: () => Connections;
  /** Absent: on the database itself. */
  readonly migrate?: () => Promise<void>;
  /** Ends what the engine holds open once Kysely let go of it. */
  readonly release?: () => void;
}

/** Makes a control plane of a Kysely database; an outage of its engine becomes `storage-unavailable`. */
export const createControlPlane = (
  db: Kysely<Database>,
  { newId, isShared, coordination, connections, migrate, release }: Opened,
): ControlPlane => ({
  ...translateErrors<Omit<ControlPlane, keyof Coordination | "connections">>(
    {
      ...controlStores(db, newId),
      isShared,
      transaction: (work) => inTransaction(db, (tx) => work(controlStores(tx, newId))),
      migrate: migrate ?? (() => migrateToLatest(db)),
      async ping() {
        await sql`select 1`.execute(db);
      },
      async close() {
        await db.destroy();
        release?.();
      },
    },
    toStorageError,
  ),
  ...coordination,
  connections: () => connections?.() ?? null,
});
