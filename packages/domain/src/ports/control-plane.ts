import type { Role } from "../access/roles.ts";
import type { BucketMap } from "../allocation/bucket-map.ts";
import type { Experiment, ExperimentConfig } from "../experiment/config.ts";
import type { Json, JsonObject } from "../json.ts";
import type { UsageMonth } from "../metering/usage-month.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlanState, SubscriptionPlan } from "../plan/plan-state.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";

export interface Org {
  readonly id: string;
  readonly externalId: string;
  readonly name: string;
  /** Grows with every change that clients must hear of. */
  readonly configVersion: number;
  readonly createdAt: number;
}

export interface User {
  readonly id: string;
  readonly externalId: string;
  readonly email: string;
  readonly name: string;
}

/** What a verified session token says; the first one provisions what is missing (contract §3). */
export interface Identity {
  readonly externalUserId: string;
  readonly externalOrgId: string;
  readonly orgName: string | null;
  readonly role: Role;
  readonly email: string;
  readonly name: string;
  /** When the token was issued, epoch milliseconds: a newer token's role wins over an older one's. */
  readonly issuedAt: number;
}

export interface Membership {
  readonly orgId: string;
  readonly userId: string;
  readonly role: Role;
}

export interface OrgStore {
  /** Finds or creates user, org and membership; a role change applies when the token is at least as new as the membership. */
  provision(identity: Identity, now: number): Promise<Membership>;
  find(orgId: string): Promise<Org | null>;
  list(): Promise<readonly Org[]>;
  findUser(userId: string): Promise<User | null>;
  findUserByExternalId(externalId: string): Promise<User | null>;
  listMembers(orgId: string): Promise<readonly (User & { readonly role: Role })[]>;
  /** Raises the org's config version by one and returns it. */
  bumpConfigVersion(orgId: string): Promise<number>;
}

/** A one-time link: the start-up ticket of the owner, or an invitation. Only the token's SHA-256 (hex) is stored. */
export interface SignInLink {
  readonly tokenHash: string;
  readonly externalOrgId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly expiresAt: number;
}

export interface SignInLinkStore {
  create(link: SignInLink): Promise<void>;
  /** Takes the link for good; null when it is unknown, used or expired. Two callers cannot both get it. */
  redeem(tokenHash: string, now: number): Promise<SignInLink | null>;
}

/** What an insert of a new experiment or version writes. */
export interface NewVersion {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
  readonly at: number;
  readonly by: string;
}

export interface ExperimentVersion extends Experiment {
  readonly createdBy: string;
}

export interface ExperimentStore {
  /** Inserts version 1. Throws `experiment-name-taken`. */
  create(version: NewVersion): Promise<Experiment>;
  /** Appends a version and makes it the latest. Throws `experiment-name-taken`. */
  putVersion(version: NewVersion): Promise<Experiment>;
  /** Latest version; throws `experiment-not-found`. */
  get(orgId: string, id: string): Promise<Experiment>;
  /** Like `get`, by id or by name, null when there is none. */
  find(orgId: string, idOrName: string): Promise<Experiment | null>;
  /** Like `get`, and no other transaction may change, serve or claim it until this one ends. */
  lock(orgId: string, id: string): Promise<Experiment>;
  /** Latest versions, newest first. */
  list(orgId: string): Promise<readonly Experiment[]>;
  /** All versions, newest first; throws `experiment-not-found`. */
  listVersions(orgId: string, id: string): Promise<readonly ExperimentVersion[]>;
  /** Latest versions of every org's running experiments and of those stopped since `stoppedSince`: what the nightly run looks at. */
  listForNightly(stoppedSince: number): Promise<readonly Experiment[]>;
  /** The org that an experiment belongs to; null when there is none. For requests that name no org but are signed with its secret. */
  findOrgId(id: string): Promise<string | null>;
  /** Buckets claimed one by one (before the experiment was served). */
  listClaims(experimentId: string): Promise<ReadonlySet<number>>;
  /** Claims buckets under `version`; false when that is not the latest version any more (nothing is claimed then). */
  claimBuckets(
    orgId: string,
    experimentId: string,
    claim: { version: number; buckets: readonly number[]; now: number },
  ): Promise<boolean>;
  /** Marks the experiment as served to clients under `version`; false when that is not the latest version any more. */
  markServed(orgId: string, experimentId: string, served: { version: number; now: number }): Promise<boolean>;
}

export const KEY_SCOPES = ["publishable", "secret"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

export interface StoredKey {
  readonly orgId: string;
  readonly scope: KeyScope;
  /** SHA-256 of the raw key, hex: the look-up. */
  readonly hash: string;
  /** The raw key, encrypted with the master key; null for a key from before raw-key storage. */
  readonly sealed: string | null;
  readonly createdAt: number;
}

export interface KeyStore {
  /** Stores the key and removes the scope's previous one. */
  rotate(key: StoredKey): Promise<void>;
  findByHash(hash: string): Promise<StoredKey | null>;
  find(orgId: string, scope: KeyScope): Promise<StoredKey | null>;
  list(orgId: string): Promise<readonly StoredKey[]>;
}

export interface AuditEntry {
  readonly id: string;
  readonly orgId: string;
  readonly at: number;
  readonly actor: { readonly id: string; readonly name: string; readonly email: string };
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly summary: string;
  readonly diff: JsonObject | null;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(
    orgId: string,
    filter: { targetId?: string; limit: number; cursor?: string },
  ): Promise<Page<AuditEntry>>;
  /** Instants of the entries of one action on one target at or after `since`, oldest first: limits that hold over restarts and processes. */
  listTimes(
    orgId: string,
    filter: { action: string; targetId: string; since: number },
  ): Promise<readonly number[]>;
}

/** A stored run. Immutable: written once under its experiment, label and cut-off. */
export interface StoredRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly label: string;
  readonly preliminary: boolean;
  /** The run's exclusive cut-off, epoch milliseconds. */
  readonly windowTo: number;
  readonly computedAt: number;
  /** The run as the results route answers it. */
  readonly body: Json;
}

export interface ResultStore {
  /** Writes the run; false when its label and cut-off are stored already. */
  put(run: StoredRun): Promise<boolean>;
  /** The run under a label (of several cut-offs the latest), or the run computed last when no label is given; null when there is none. */
  find(orgId: string, experimentId: string, label?: string): Promise<StoredRun | null>;
  /** The last nightly runs whose cut-off lies before `windowTo`, oldest first; of several runs of a day the latest. */
  listNightlyBefore(
    orgId: string,
    experimentId: string,
    range: { readonly windowTo: number; readonly limit: number },
  ): Promise<readonly StoredRun[]>;
  /** Every label that has a stored run, newest run first. */
  listLabels(orgId: string, experimentId: string): Promise<readonly string[]>;
  /** The run computed last of every experiment of the org. */
  listLatest(orgId: string): Promise<readonly StoredRun[]>;
}

export const RUN_OUTCOMES = ["computed", "withheld", "collecting", "failed"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** What the nightly pipeline did for one experiment and day. */
export interface PipelineRun {
  readonly orgId: string;
  readonly experimentId: string;
  readonly day: string;
  readonly outcome: RunOutcome | "running";
  readonly windowTo: number;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly detail: string | null;
}

export interface PipelineRunStore {
  /** Takes the experiment-day for this process until `leaseUntil`; false while another process holds it or when it is done up to `windowTo`. A failed or collecting run, an expired lease or an earlier cut-off can be taken again. */
  claim(run: {
    orgId: string;
    experimentId: string;
    day: string;
    windowTo: number;
    now: number;
    leaseUntil: number;
  }): Promise<boolean>;
  /** Ends the run that `claim` began at `startedAt`; nothing happens when another process has taken it over since. */
  finish(run: {
    experimentId: string;
    day: string;
    startedAt: number;
    outcome: RunOutcome;
    now: number;
    detail: string | null;
  }): Promise<void>;
  find(experimentId: string, day: string): Promise<PipelineRun | null>;
}

export interface Usage {
  readonly events: number;
  readonly judgeEvaluations: number;
}

export interface UsageStore {
  /** Sets the month's count of events; the number comes from the event store, so repeating it is harmless. Never lowers it. */
  putEvents(usage: { orgId: string; month: UsageMonth; events: number }): Promise<void>;
  /** The month's counts; zeros when there are none. */
  get(orgId: string, month: UsageMonth): Promise<Usage>;
}

/** Each org's plan; an org without a row never checked out. */
export interface PlanStore {
  get(orgId: string): Promise<PlanState>;
  /** Every org's state, those without a row included. */
  list(): Promise<readonly { readonly orgId: string; readonly state: PlanState }[]>;
  /** Pins a plan; null unpins it. */
  putOverride(orgId: string, plan: Plan | null): Promise<void>;
  putSubscription(orgId: string, subscription: SubscriptionPlan): Promise<void>;
}

export interface WebhookSecret {
  readonly orgId: string;
  /** The secret, encrypted with the master key. */
  readonly sealed: string;
  readonly createdAt: number;
}

/** The secret with which an org signs its business events; one at a time. */
export interface WebhookSecretStore {
  /** Stores the secret in place of the previous one. */
  rotate(secret: WebhookSecret): Promise<void>;
  find(orgId: string): Promise<WebhookSecret | null>;
}

/** An org's own prices, which win over the built-in ones; keyed by model and first day. */
export interface ModelPriceStore {
  put(orgId: string, price: ModelPrice): Promise<void>;
  /** False when there was none. */
  remove(orgId: string, key: { readonly model: string; readonly effectiveFrom: Day }): Promise<boolean>;
  /** By model, newest first day first. */
  list(orgId: string): Promise<readonly ModelPrice[]>;
}

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
