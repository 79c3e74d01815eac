import type { Connections, ControlPlane, ControlStores, Coordination } from "@assay/domain";
import { type Kysely, sql } from "kysely";
import { toStorageError, translateErrors } from "./dialect/engine-errors.ts";
import { judgeReportStore } from "./judging/judge-report-store.ts";
import { judgementStore } from "./judging/judgement-store.ts";
import { inTransaction } from "./query/in-transaction.ts";
import { rehearsalStore } from "./rehearsals/rehearsal-store.ts";
import type { Database } from "./schema/schema.ts";
import { adminStore } from "./stores/admin-store.ts";
import { alertChannelStore } from "./stores/alert-channel-store.ts";
import { alertDeliveryStore } from "./stores/alert-delivery-store.ts";
import { alertStore } from "./stores/alert-store.ts";
import { auditStore } from "./stores/audit-store.ts";
import { billingStore } from "./stores/billing-store.ts";
import { datasetStore } from "./stores/dataset-store.ts";
import { endedSessionStore } from "./stores/ended-session-store.ts";
import { erasureStore } from "./stores/erasure-store.ts";
import { exclusionStore } from "./stores/exclusion-store.ts";
import { experimentStore } from "./stores/experiment-store.ts";
import { inboxStore } from "./stores/inbox-store.ts";
import { installationSecretStore } from "./stores/installation-secret-store.ts";
import { keyStore } from "./stores/key-store.ts";
import { maskingRuleStore } from "./stores/masking-rule-store.ts";
import { modelPriceStore } from "./stores/model-price-store.ts";
import { newestStore } from "./stores/newest-store.ts";
import { orgStore } from "./stores/org-store.ts";
import { passkeyChallengeStore, passkeyStore } from "./stores/passkey-store.ts";
import { peopleStore } from "./stores/people-store.ts";
import { pickStore } from "./stores/pick-store.ts";
import { pipelineRunStore } from "./stores/pipeline-run-store.ts";
import { planStore } from "./stores/plan-store.ts";
import { reportLinkStore } from "./stores/report-link-store.ts";
import { resultStore } from "./stores/result-store.ts";
import { scimStore } from "./stores/scim-store.ts";
import { sealStore } from "./stores/seal-store.ts";
import { securityEventStore } from "./stores/security-event-store.ts";
import { serviceTokenStore } from "./stores/service-token-store.ts";
import { sessionStore } from "./stores/session-store.ts";
import { sharedMetricStore } from "./stores/shared-metric-store.ts";
import { signInLinkStore } from "./stores/sign-in-link-store.ts";
import { usageStore } from "./stores/usage-store.ts";
import { waitingTraceStore } from "./stores/waiting-trace-store.ts";
import { webhookSecretStore } from "./stores/webhook-secret-store.ts";

/** Binds all stores to a database or a transaction. `newId` creates the ids of orgs and users. */
export const controlStores = (db: Kysely<Database>, newId: () => string): ControlStores => ({
  orgs: orgStore(db),
  people: peopleStore(db, newId),
  signInLinks: signInLinkStore(db),
  endedSessions: endedSessionStore(db),
  sessions: sessionStore(db),
  passkeys: passkeyStore(db),
  passkeyChallenges: passkeyChallengeStore(db),
  scim: scimStore(db),
  serviceTokens: serviceTokenStore(db),
  securityEvents: securityEventStore(db),
  experiments: experimentStore(db),
  exclusions: exclusionStore(db),
  sharedMetrics: sharedMetricStore(db),
  keys: keyStore(db),
  audit: auditStore(db),
  results: resultStore(db),
  replays: newestStore(db, "replays"),
  guardLooks: newestStore(db, "guardLooks"),
  holdbackReports: newestStore(db, "holdbackReports"),
  pipelineRuns: pipelineRunStore(db),
  usage: usageStore(db),
  plans: planStore(db),
  webhookSecrets: webhookSecretStore(db),
  modelPrices: modelPriceStore(db),
  billing: billingStore(db),
  judgements: judgementStore(db, newId),
  picks: pickStore(db),
  rehearsals: rehearsalStore(db),
  reportLinks: reportLinkStore(db),
  datasets: datasetStore(db),
  maskingRules: maskingRuleStore(db),
  alertChannels: alertChannelStore(db),
  alerts: alertStore(db, newId),
  alertDeliveries: alertDeliveryStore(db),
  erasures: erasureStore(db),
  inbox: inboxStore(db),
  admin: adminStore(db),
  installationSecrets: installationSecretStore(db),
  seals: sealStore(db),
  judgeReports: judgeReportStore(db),
  waitingTraces: waitingTraceStore(db),
});

interface Opened {
  readonly newId: () => string;
  readonly isShared: boolean;
  readonly coordination: Coordination;
  /** Absent for an embedded database. */
  readonly connections?: () => Connections;
  readonly migrate: () => Promise<void>;
  /** Closes what remains open after Kysely was closed. */
  readonly release?: () => void;
}

/** Creates the control plane of a Kysely database. It reports an outage of the engine as `storage-unavailable`. */
export const createControlPlane = (
  db: Kysely<Database>,
  { newId, isShared, coordination, connections, migrate, release }: Opened,
): ControlPlane => ({
  ...translateErrors<Omit<ControlPlane, keyof Coordination | "connections">>(
    {
      ...controlStores(db, newId),
      isShared,
      transaction: (work) => inTransaction(db, (tx) => work(controlStores(tx, newId))),
      migrate,
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
