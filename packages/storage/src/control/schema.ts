import type { Day, ExperimentStatus, KeyScope, PipelineRun, Plan, Role } from "@assay/domain";
import type { Generated } from "kysely";

interface OrgTable {
  id: string;
  externalId: string;
  name: string;
  configVersion: number;
  createdAt: number;
}

interface UserTable {
  id: string;
  externalId: string;
  email: string;
  name: string;
  createdAt: number;
}

interface MembershipTable {
  orgId: string;
  userId: string;
  role: Role;
  /** When the token that gave the role was issued. */
  roleIssuedAt: number;
  createdAt: number;
}

interface SignInLinkTable {
  tokenHash: string;
  externalOrgId: string;
  email: string;
  name: string;
  role: Role;
  expiresAt: number;
}

/** The latest state of an experiment; its row is what `lock`, claims and versions are ordered by. */
interface ExperimentTable {
  id: string;
  orgId: string;
  name: string;
  version: number;
  status: ExperimentStatus;
  /** When it was last stopped, whatever versions came after; null unless the status is `stopped`. */
  stoppedAt: number | null;
  servedAt: number | null;
  createdAt: number;
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

interface ApiKeyTable {
  orgId: string;
  scope: KeyScope;
  hash: string;
  sealed: string | null;
  createdAt: number;
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
  /** The plan that follows at `nextAt`; both null when none does. */
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
  outputUsdPerMillion: number;
  reasoningUsdPerMillion: number | null;
}

/** The control plane's tables. Instants are epoch milliseconds, JSON is text; SQL has the names in snake_case. */
export interface Database {
  orgs: OrgTable;
  users: UserTable;
  memberships: MembershipTable;
  signInLinks: SignInLinkTable;
  experiments: ExperimentTable;
  experimentVersions: ExperimentVersionTable;
  bucketClaims: BucketClaimTable;
  apiKeys: ApiKeyTable;
  auditEntries: AuditEntryTable;
  results: ResultTable;
  pipelineRuns: PipelineRunTable;
  usage: UsageTable;
  orgPlans: OrgPlanTable;
  webhookSecrets: WebhookSecretTable;
  modelPrices: ModelPriceTable;
}
