import {
  type AnalysisLimits,
  analysisLimits,
  type Clock,
  type ControlPlane,
  type ControlStores,
  isStorageUnavailable,
  PLAN_LIMITS,
  type Plan,
  type PlanState,
  planInForce,
} from "@assay/domain";
import type { ChangeFeed } from "../config/change-feed.ts";

/** Each org's plan, read from the control plane and cached for a few seconds. */
export interface OrgPlans {
  /** Whether this installation applies plan limits (`ASSAY_ENFORCE_PLAN_LIMITS`). */
  readonly isEnforced: boolean;
  /** Returns the current plan, as a promise only when the control plane must be queried. */
  inForce(orgId: string): Plan | Promise<Plan>;
  analysisLimits(orgId: string): Promise<AnalysisLimits>;
  /** Reads how many members the plan allows from the given stores; null when unlimited, as when plans are not enforced. */
  seats(orgId: string, stores: Pick<ControlStores, "plans">): Promise<number | null>;
  /** Makes the next lookup ask the control plane, after a change. */
  forget(orgId: string): void;
}

/** How long a plan change by another process may go unseen when no feed reports it. */
const CACHE_MS = 5_000;

interface Kept {
  readonly state: PlanState;
  readonly until: number;
}

interface PlanDeps {
  readonly control: Pick<ControlPlane, "plans">;
  readonly clock: Clock;
  readonly changes: Pick<ChangeFeed, "subscribe">;
}

/** Makes the plans over the control plane. While it is out of reach, the last known plan applies. */
export function createOrgPlans({ control, clock, changes }: PlanDeps, isEnforced: boolean): OrgPlans {
  const kept = new Map<string, Kept>();

  async function load(orgId: string): Promise<Plan> {
    const state = await control.plans.get(orgId).catch((error: unknown) => lastRead(orgId, error));
    const now = clock.now();
    kept.set(orgId, { state, until: now + CACHE_MS });
    return planInForce(state, now);
  }

  function lastRead(orgId: string, error: unknown): PlanState {
    const last = kept.get(orgId);
    if (last !== undefined && isStorageUnavailable(error)) return last.state;
    throw error;
  }

  function forget(orgId: string): void {
    const known = kept.get(orgId);
    if (known !== undefined) kept.set(orgId, { ...known, until: Number.NEGATIVE_INFINITY });
  }

  changes.subscribe("plan", (orgId) => {
    for (const known of orgId === null ? kept.keys() : [orgId]) forget(known);
  });

  function inForce(orgId: string): Plan | Promise<Plan> {
    const known = kept.get(orgId);
    const now = clock.now();
    return known !== undefined && now < known.until ? planInForce(known.state, now) : load(orgId);
  }

  return {
    isEnforced,
    inForce,
    analysisLimits: async (orgId) => analysisLimits(await inForce(orgId), isEnforced),
    seats: async (orgId, stores) =>
      isEnforced ? PLAN_LIMITS[planInForce(await stores.plans.get(orgId), clock.now())].seats : null,
    forget,
  };
}
