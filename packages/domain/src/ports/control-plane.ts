import type { AuditStore } from "./audit.ts";
import type { ExperimentStore } from "./experiments.ts";
import type { KeyStore, WebhookSecretStore } from "./keys.ts";
import type { ModelPriceStore, PlanStore, UsageStore } from "./metering.ts";
import type { OrgStore, SignInLinkStore } from "./orgs.ts";
import type { PipelineRunStore, ResultStore } from "./results.ts";

export interface ControlStores {
  readonly orgs: OrgStore;
  readonly signInLinks: SignInLinkStore;
  readonly experiments: ExperimentStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly results: ResultStore;
  readonly pipelineRuns: PipelineRunStore;
  readonly usage: UsageStore;
  readonly plans: PlanStore;
  readonly webhookSecrets: WebhookSecretStore;
  readonly modelPrices: ModelPriceStore;
}

/** The control plane: the stores, and a transaction over all of them. */
export interface ControlPlane extends ControlStores {
  /** Runs `work` in one transaction: everything it wrote is committed together, or nothing when it throws. */
  transaction<T>(work: (stores: ControlStores) => Promise<T>): Promise<T>;
  /** Brings the schema up to date. Throws when the data is from a newer version of Assay. */
  migrate(): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
