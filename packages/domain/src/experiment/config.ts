import type { BucketMap } from "../allocation/bucket-map.ts";
import type { JsonObject } from "../json.ts";
import type { DecisionPlan } from "./decision-plan.ts";
import type { Guard } from "./guard.ts";
import type { MetricDefinition } from "./metric.ts";
import type { ExperimentUnit } from "./unit.ts";

export const EXPERIMENT_STATUSES = ["draft", "running", "stopped", "shipped", "archived"] as const;
export type ExperimentStatus = (typeof EXPERIMENT_STATUSES)[number];

/** Returns whether an experiment with this status has ended: its sample is closed, and it may have a decision. */
export function hasEnded(status: ExperimentStatus): boolean {
  return status === "stopped" || status === "shipped" || status === "archived";
}

export interface Variant {
  readonly key: string;
  readonly prompt: string | null;
  readonly variables: JsonObject | null;
  readonly description: string | null;
  /** False: this variant's users get null (control behavior), but their buckets go to no other variant. */
  readonly enabled: boolean;
}

/** A variant's relative share: 1/1, 50/50 and 0.5/0.5 are the same. */
export interface AllocationSlice {
  readonly variant: string;
  readonly weight: number;
}

/** Who assigns variants: Assay by its bucket map, or another system, whose exposures name the variant. */
export const ASSIGNMENTS = ["assay", "external"] as const;
export type AssignmentBy = (typeof ASSIGNMENTS)[number];

/** Who can read prompts and variables: clients with any key, or only servers, which have the secret key. */
export const VISIBILITIES = ["client", "server"] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Ids of users by the variant that they get, wherever their bucket is. */
export type QaUsers = Readonly<Record<string, readonly string[]>>;

/** A time in which the experiment ran but nobody got a variant: everybody had control behavior. */
export interface Hold {
  /** Epoch milliseconds. */
  readonly from: number;
  /** Null: it still lasts. */
  readonly to: number | null;
  /** The reason that a person wrote, or what the guardrail found. */
  readonly reason: string | null;
  /** The guardrail that held the experiment; null: a person did. */
  readonly guardrail: string | null;
}

/** Steps in which an experiment reaches more users by itself. */
export interface Rollout {
  /** Percent of all users in treatments, ascending. Control's users come on top. */
  readonly stages: readonly number[];
  /** Minimum duration of each stage. */
  readonly minMinutes: number;
  /** Index of the stage in force. */
  readonly stage: number;
  /** When the stage began, or began again after a hold; epoch milliseconds. Null before the start. */
  readonly since: number | null;
}

/** Some of control's users keep control after another variant was shipped, so that its lift can still be measured. */
export interface Holdback {
  /** Percent of all users. */
  readonly percent: number;
  /** When the variant was shipped, epoch milliseconds; null in a change that ships it. */
  readonly from: number | null;
  /** When everybody got the shipped variant; null: it still lasts. */
  readonly to: number | null;
}

/** Everything that a version of an experiment fixes. */
export interface ExperimentConfig {
  readonly name: string;
  readonly salt: string;
  readonly bucketCount: number;
  /** Frozen at creation. */
  readonly unit: ExperimentUnit;
  readonly allocation: readonly AllocationSlice[];
  /** Share of all buckets that the experiment takes, 0 to 1. */
  readonly coverage: number;
  readonly variants: readonly Variant[];
  readonly control: string;
  readonly assignment: AssignmentBy;
  /** The flag of another system whose variants this experiment compares: nobody gets a variant from Assay. Null: none. */
  readonly flagKey: string | null;
  readonly visibility: Visibility;
  readonly status: ExperimentStatus;
  readonly metrics: readonly MetricDefinition[];
  readonly plan: DecisionPlan;
  readonly hypothesis: string | null;
  readonly description: string | null;
  /** Words that help people find the experiment. */
  readonly tags: readonly string[];
  /** Only if the experiment has ended. */
  readonly decision: Decision | null;
  /** The variant that everybody gets; null unless the status is `shipped`. */
  readonly shippedVariant: string | null;
  /** Who keeps control after the shipping; null: nobody. */
  readonly holdback: Holdback | null;
  /** People who test variants: while they are listed, they are in no arm. */
  readonly qaUsers: QaUsers;
  /** Oldest first. While the last one is open, nobody gets a variant. */
  readonly holds: readonly Hold[];
  /** The signals that are watched between nights and hold the experiment if they get worse. Null: none. */
  readonly guard: Guard | null;
  /** Null: all users within the coverage take part from the start. */
  readonly rollout: Rollout | null;
}

/** One version of an experiment; instants in epoch milliseconds. */
export interface Experiment {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly config: ExperimentConfig;
  readonly bucketMap: BucketMap;
  /** When `GET /v1/config` first served it as running: from then on every allocated bucket is claimed. */
  readonly servedAt: number | null;
  readonly createdAt: number;
  /** When this version was created. */
  readonly updatedAt: number;
  /** Loaded by POST /v1/demo, and removed only as a whole. */
  readonly isDemo: boolean;
}

export const DECISION_OUTCOMES = ["won", "lost", "inconclusive", "invalid"] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];

/** How an experiment ended, as written by the person who stopped it. */
export interface Decision {
  readonly outcome: DecisionOutcome;
  /** The chosen variant, or null. */
  readonly variant: string | null;
  readonly note: string | null;
}
