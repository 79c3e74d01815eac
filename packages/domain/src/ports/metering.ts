import type { UsageMonth } from "../metering/usage-month.ts";
import type { Plan } from "../plan/plan.ts";
import type { PlanState, SubscriptionPlan } from "../plan/plan-state.ts";
import type { ModelPrice } from "../price/model-price.ts";
import type { Day } from "../time/day.ts";

export interface Usage {
  readonly events: number;
  readonly judgeEvaluations: number;
}

export interface UsageStore {
  /** Sets the month's count of events to the event store's, so repeating it is harmless. Never lowers it. */
  putEvents(usage: { orgId: string; month: UsageMonth; events: number }): Promise<void>;
  /** Adds judge evaluations that belong to no judgement to the month's count. */
  addEvaluations(usage: { orgId: string; month: UsageMonth; judgeEvaluations: number }): Promise<void>;
  /** The month's counts; zero if there are none. */
  get(orgId: string, month: UsageMonth): Promise<Usage>;
}

/** Each org's plan; an org without a row never completed a checkout. */
export interface PlanStore {
  get(orgId: string): Promise<PlanState>;
  /** The state of every org, including those without a row. */
  list(): Promise<readonly { readonly orgId: string; readonly state: PlanState }[]>;
  /** Sets the override plan; null removes it. */
  putOverride(orgId: string, plan: Plan | null): Promise<void>;
  putSubscription(orgId: string, subscription: SubscriptionPlan): Promise<void>;
}

/** An org's own prices, which take precedence over the built-in ones; keyed by model and first day. */
export interface ModelPriceStore {
  put(orgId: string, price: ModelPrice): Promise<void>;
  /** False when no such price existed. */
  remove(orgId: string, key: { readonly model: string; readonly effectiveFrom: Day }): Promise<boolean>;
  /** By model, within a model the latest `effectiveFrom` first. */
  list(orgId: string): Promise<readonly ModelPrice[]>;
}
