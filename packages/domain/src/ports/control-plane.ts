import type { AdminStore } from "./admin.ts";
import type { AuditStore } from "./audit.ts";
import type { BillingStore } from "./billing.ts";
import type { ExperimentStore } from "./experiments.ts";
import type { InboxStore } from "./inbox.ts";
import type { JudgementStore } from "./judgements.ts";
import type { KeyStore, WebhookSecretStore } from "./keys.ts";
import type { ModelPriceStore, PlanStore, UsageStore } from "./metering.ts";
import type { OrgStore } from "./orgs.ts";
import type { EndedSessionStore, PeopleStore, SignInLinkStore } from "./people.ts";
import type { PipelineRunStore, ResultStore } from "./results.ts";

export interface ControlStores {
  readonly orgs: OrgStore;
  readonly people: PeopleStore;
  readonly signInLinks: SignInLinkStore;
  readonly endedSessions: EndedSessionStore;
  readonly experiments: ExperimentStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly results: ResultStore;
  readonly pipelineRuns: PipelineRunStore;
  readonly usage: UsageStore;
  readonly plans: PlanStore;
  readonly webhookSecrets: WebhookSecretStore;
  readonly modelPrices: ModelPriceStore;
  readonly billing: BillingStore;
  readonly judgements: JudgementStore;
  readonly inbox: InboxStore;
  readonly admin: AdminStore;
}

/** The control plane: the stores, and a transaction over all of them. */
export interface ControlPlane extends ControlStores {
  /** Whether other processes may write to the same database while this one runs. */
  readonly isShared: boolean;
  /** Runs `work` in one transaction: everything it wrote is committed together, or nothing when it throws. */
  transaction<T>(work: (stores: ControlStores) => Promise<T>): Promise<T>;
  /** Brings the schema up to date. Throws when the data is from a newer version of Assay. */
  migrate(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
