import type { AdminStore } from "./admin.ts";
import type { AlertChannelStore, AlertDeliveryStore, AlertStore } from "./alerts.ts";
import type { AuditStore } from "./audit.ts";
import type { BillingStore } from "./billing.ts";
import type { PickStore } from "./compared-events.ts";
import type { Coordination } from "./coordination.ts";
import type { DatasetStore } from "./datasets.ts";
import type { ErasureStore } from "./erasures.ts";
import type { ExclusionStore } from "./exclusions.ts";
import type { ExperimentStore } from "./experiments.ts";
import type { GuardLookStore } from "./guard-looks.ts";
import type { HoldbackReportStore } from "./holdback-reports.ts";
import type { InboxStore } from "./inbox.ts";
import type { InstallationSecretStore, JudgeReportStore, SealStore } from "./installation.ts";
import type { JudgementStore } from "./judgements.ts";
import type { KeyStore, WebhookSecretStore } from "./keys.ts";
import type { MaskingRuleStore } from "./masking-rules.ts";
import type { ModelPriceStore, PlanStore, UsageStore } from "./metering.ts";
import type { OrgStore } from "./orgs.ts";
import type { PasskeyChallengeStore, PasskeyStore } from "./passkeys.ts";
import type { EndedSessionStore, PeopleStore, SignInLinkStore } from "./people.ts";
import type { RehearsalStore } from "./rehearsals.ts";
import type { ReplayStore } from "./replays.ts";
import type { ReportLinkStore } from "./report-links.ts";
import type { PipelineRunStore, ResultStore } from "./results.ts";
import type { ScimStore } from "./scim.ts";
import type { SecurityEventStore } from "./security-events.ts";
import type { ServiceTokenStore } from "./service-tokens.ts";
import type { SessionStore } from "./sessions.ts";
import type { SharedMetricStore } from "./shared-metrics.ts";
import type { WaitingTraceStore } from "./waiting-traces.ts";

export interface ControlStores {
  readonly orgs: OrgStore;
  readonly people: PeopleStore;
  readonly signInLinks: SignInLinkStore;
  readonly endedSessions: EndedSessionStore;
  readonly sessions: SessionStore;
  readonly passkeys: PasskeyStore;
  readonly passkeyChallenges: PasskeyChallengeStore;
  readonly scim: ScimStore;
  readonly serviceTokens: ServiceTokenStore;
  readonly securityEvents: SecurityEventStore;
  readonly experiments: ExperimentStore;
  readonly exclusions: ExclusionStore;
  readonly sharedMetrics: SharedMetricStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly results: ResultStore;
  readonly replays: ReplayStore;
  readonly guardLooks: GuardLookStore;
  readonly holdbackReports: HoldbackReportStore;
  readonly pipelineRuns: PipelineRunStore;
  readonly usage: UsageStore;
  readonly plans: PlanStore;
  readonly webhookSecrets: WebhookSecretStore;
  readonly modelPrices: ModelPriceStore;
  readonly billing: BillingStore;
  readonly judgements: JudgementStore;
  readonly picks: PickStore;
  readonly rehearsals: RehearsalStore;
  readonly reportLinks: ReportLinkStore;
  readonly datasets: DatasetStore;
  readonly maskingRules: MaskingRuleStore;
  readonly alertChannels: AlertChannelStore;
  readonly alerts: AlertStore;
  readonly alertDeliveries: AlertDeliveryStore;
  readonly erasures: ErasureStore;
  readonly inbox: InboxStore;
  readonly admin: AdminStore;
  readonly installationSecrets: InstallationSecretStore;
  readonly seals: SealStore;
  readonly judgeReports: JudgeReportStore;
  readonly waitingTraces: WaitingTraceStore;
}

/** The database connections that a process holds. */
export interface Connections {
  readonly inUse: number;
  /** Queries that wait for a free connection. */
  readonly waiting: number;
  readonly max: number;
}

/** The control plane: the stores, and a transaction over all of them. */
export interface ControlPlane extends ControlStores, Coordination {
  /** Whether other processes may write to the same database while this one runs. */
  readonly isShared: boolean;
  /** Runs `work` in one transaction: everything it wrote is committed, or nothing if it throws. */
  transaction<T>(work: (stores: ControlStores) => Promise<T>): Promise<T>;
  /**
   * Brings the schema up to date. If a newer version of Assay wrote the data and declares that this version can use it, nothing
   * changes. Throws a `StartupError` for other newer data, and for an unfinished copy of another database.
   */
  migrate(): Promise<void>;
  ping(): Promise<void>;
  /** Null for an embedded database. */
  connections(): Connections | null;
  close(): Promise<void>;
}
