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

/** An org's own prices, which win over the built-in ones; keyed by model and first day. */
export interface ModelPriceStore {
  put(orgId: string, price: ModelPrice): Promise<void>;
  /** False when there was none. */
  remove(orgId: string, key: { readonly model: string; readonly effectiveFrom: Day }): Promise<boolean>;
  /** By model, newest first day first. */
  list(orgId: string): Promise<readonly ModelPrice[]>;
}
