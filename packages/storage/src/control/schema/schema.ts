import type {
  BillingEventType,
  Day,
  ExperimentStatus,
  FeedbackCategory,
  KeyScope,
  PipelineRun,
  Plan,
} from "@assay/domain";
import type { Generated } from "kysely";
import type { AlertChannelTable, AlertDeliveryTable, AlertTable } from "./alert-schema.ts";
import type { DatasetItemTable, DatasetTable, MaskingRuleTable } from "./dataset-schema.ts";
import type {
  EndedSessionTable,
  MembershipTable,
  OrgTable,
  PasskeyChallengeTable,
  PasskeyTable,
  ScimResourceTable,
  ScimTokenTable,
  SecurityEventTable,
  ServiceTokenTable,
  SessionTable,
  SignInLinkTable,
  UserTable,
} from "./identity-schema.ts";
import type { JudgementTable, JudgingCostTable, JudgingPlanTable, LabelTable } from "./judging-schema.ts";
import type {
  RehearsalExperimentTable,
  RehearsalInputTable,
  RehearsalPickTable,
  RehearsalRequestTable,
  RehearsalTable,
} from "./rehearsal-schema.ts";
import type {
  TraceBatchTable,
  TraceOutcomeTable,
  TracePieceTable,
  WaitingTraceTable,
} from "./trace-schema.ts";

interface KeyEpochTable {
  id: number;
  epoch: number;
}

/**
 * The status in the table and in stored configs, which mark archived experiments separately. A process of the previous version
 * would treat an unknown status as `running`.
 */
export type StoredStatus = Exclude<ExperimentStatus, "shipped" | "archived">;

/** The latest state of an experiment. Locks, claims and new versions serialize on this row. */
interface ExperimentTable {
  id: string;
  orgId: string;
  name: string;
  version: number;
  status: StoredStatus;
  /** When it was last stopped, even if versions followed; null unless the status is `stopped`. */
  stoppedAt: number | null;
  servedAt: number | null;
  createdAt: number;
  isDemo: Generated<number>;
}

/** Former names that the experiment still answers to. */
interface FormerNameTable {
  orgId: string;
  name: string;
  experimentId: string;
  renamedAt: number;
}

/** Deleted experiments whose events may still be stored. */
interface ExperimentRemovalTable {
  experimentId: string;
  orgId: string;
  removedAt: number;
}

interface ExperimentVersionTable {
  experimentId: string;
  version: number;
  config: string;
  bucketMap: string;
  createdAt: number;
  createdBy: string;
}

interface BucketClaimTable {
  experimentId: string;
  bucket: number;
  claimedAt: number;
}

interface SharedMetricTable {
  orgId: string;
  name: string;
  /** JSON. */
  definition: string;
}

/** An entry has either `match` (JSON) or `lifts`. */
interface ExclusionTable {
  orgId: string;
  experimentId: string;
  number: number;
  reason: string;
  match: string | null;
  lifts: number | null;
  actorId: string;
  actorName: string;
  actorEmail: string;
  createdAt: number;
}

interface ApiKeyTable {
  orgId: string;
  scope: KeyScope;
  hash: string;
  sealed: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  lastBrowserUseAt: Generated<number | null>;
  /** A JSON list; null: any. */
  allowedOrigins: Generated<string | null>;
}

interface CheckoutTable {
  orgId: string;
  checkoutId: string;
}

interface MeteredOverageTable {
  orgId: string;
  month: string;
  reported: number;
  pending: number;
}

interface AuditEntryTable {
  id: string;
  orgId: string;
  at: number;
  actorId: string;
  actorName: string;
  actorEmail: string;
  action: string;
  targetType: string;
  targetId: string;
  summary: string;
  diff: string | null;
}

interface ResultTable {
  orgId: string;
  experimentId: string;
  label: string;
  windowTo: number;
  preliminary: number;
  computedAt: number;
  body: string;
}

/** A run that was stored before summaries existed gets one when a list first reads it. */
interface RunSummaryTable {
  experimentId: string;
  label: string;
  windowTo: number;
  /** JSON. */
  summary: string;
  /** Null: stored by a version that lacks this column. */
  hasRows: number | null;
}

/** Revisions from the second on; the first is in `results`. */
interface RunRevisionTable {
  experimentId: string;
  label: string;
  windowTo: number;
  revision: number;
  computedAt: number;
  hasRows: number;
  /** JSON. */
  summary: string;
  /** JSON. */
  body: string;
}

/** The newest document about an experiment. */
interface NewestTable {
  orgId: string;
  experimentId: string;
  /** JSON. */
  body: string;
}

/** One answer of a pick. */
interface PickTable {
  orgId: string;
  experimentId: string;
  id: string;
  eventId: string;
  variant: string;
  userId: string;
  isBest: number;
  pickedBy: string;
  pickedByName: string;
  pickedAt: number;
}

interface ReportLinkTable {
  id: string;
  orgId: string;
  experimentId: string;
  createdBy: string;
  createdByName: string;
  createdAt: number;
  expiresAt: number;
}

interface PipelineRunTable {
  orgId: string;
  experimentId: string;
  day: string;
  outcome: PipelineRun["outcome"];
  windowTo: number;
  startedAt: number;
  finishedAt: number | null;
  leaseUntil: number;
  detail: string | null;
}

interface UsageTable {
  orgId: string;
  month: string;
  events: number;
  judgeEvaluations: Generated<number>;
}

interface OrgPlanTable {
  orgId: string;
  overridePlan: Plan | null;
  plan: Generated<Plan>;
  /** The plan that starts at `nextAt`; both null without one. */
  nextPlan: Plan | null;
  nextAt: number | null;
}

interface WebhookSecretTable {
  orgId: string;
  sealed: string;
  createdAt: number;
}

interface ModelPriceTable {
  orgId: string;
  model: string;
  effectiveFrom: Day;
  inputUsdPerMillion: number;
  cachedInputUsdPerMillion: number | null;
  cacheWrite5mUsdPerMillion: number | null;
  cacheWrite1hUsdPerMillion: number | null;
  audioInputUsdPerMillion: number | null;
  outputUsdPerMillion: number;
  reasoningUsdPerMillion: number | null;
  audioOutputUsdPerMillion: number | null;
}

interface BillingEventTable {
  id: string;
  type: BillingEventType;
  createdAt: number;
  customerId: string;
  orgId: string | null;
  /** JSON of the snapshot; null for a finished checkout. */
  subscription: string | null;
}

interface FeedbackTable {
  id: string;
  orgId: string;
  at: number;
  authorId: string;
  authorName: string;
  authorEmail: string;
  category: FeedbackCategory;
  message: string;
  page: string | null;
}

interface ContactMessageTable {
  id: string;
  at: number;
  name: string;
  email: string;
  company: string | null;
  message: string;
  sender: string;
}

interface InstallationSecretTable {
  name: string;
  sealed: string;
  createdAt: number;
}

interface ErasureTable {
  orgId: string;
  /** JSON of the id. */
  userId: string;
  requestedAt: number;
}

/** `fault` and `faultSince` are both null or both set. */
interface JudgeReportTable {
  processId: string;
  fault: string | null;
  faultSince: number | null;
  perMinute: number;
  reportedAt: number;
}

interface SchemaCompatibilityTable {
  id: number;
  /** The newest migration that a version of Assay must know to work with this database. */
  readableFrom: string;
}

export interface Database {
  orgs: OrgTable;
  users: UserTable;
  memberships: MembershipTable;
  signInLinks: SignInLinkTable;
  endedSessions: EndedSessionTable;
  sessions: SessionTable;
  passkeys: PasskeyTable;
  passkeyChallenges: PasskeyChallengeTable;
  scimTokens: ScimTokenTable;
  scimResources: ScimResourceTable;
  serviceTokens: ServiceTokenTable;
  securityEvents: SecurityEventTable;
  keyEpochs: KeyEpochTable;
  experiments: ExperimentTable;
  experimentVersions: ExperimentVersionTable;
  formerNames: FormerNameTable;
  experimentRemovals: ExperimentRemovalTable;
  bucketClaims: BucketClaimTable;
  exclusions: ExclusionTable;
  sharedMetrics: SharedMetricTable;
  apiKeys: ApiKeyTable;
  auditEntries: AuditEntryTable;
  results: ResultTable;
  runSummaries: RunSummaryTable;
  runRevisions: RunRevisionTable;
  replays: NewestTable;
  guardLooks: NewestTable;
  holdbackReports: NewestTable;
  picks: PickTable;
  rehearsals: RehearsalTable;
  rehearsalInputs: RehearsalInputTable;
  rehearsalRequests: RehearsalRequestTable;
  rehearsalPicks: RehearsalPickTable;
  rehearsalExperiments: RehearsalExperimentTable;
  reportLinks: ReportLinkTable;
  alertChannels: AlertChannelTable;
  alerts: AlertTable;
  alertDeliveries: AlertDeliveryTable;
  pipelineRuns: PipelineRunTable;
  usage: UsageTable;
  orgPlans: OrgPlanTable;
  webhookSecrets: WebhookSecretTable;
  modelPrices: ModelPriceTable;
  billingEvents: BillingEventTable;
  checkouts: CheckoutTable;
  meteredOverage: MeteredOverageTable;
  judgingPlans: JudgingPlanTable;
  judgements: JudgementTable;
  judgingCosts: JudgingCostTable;
  labels: LabelTable;
  erasures: ErasureTable;
  feedback: FeedbackTable;
  contactMessages: ContactMessageTable;
  installationSecrets: InstallationSecretTable;
  judgeReports: JudgeReportTable;
  datasets: DatasetTable;
  datasetItems: DatasetItemTable;
  maskingRules: MaskingRuleTable;
  traceBatches: TraceBatchTable;
  waitingTraces: WaitingTraceTable;
  tracePieces: TracePieceTable;
  traceOutcomes: TraceOutcomeTable;
  schemaCompatibility: SchemaCompatibilityTable;
}
