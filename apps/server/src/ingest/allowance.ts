import {
  type Clock,
  DomainError,
  endOfMonth,
  monthOf,
  PLAN_LIMITS,
  publicAllowance,
  startOfMonth,
  toInstant,
  toRetrySeconds,
  type UsageMonth,
} from "@assay/domain";
import type { OrgPlans } from "../plans/org-plans.ts";
import { type Accept, type Count, createQuota } from "./quota.ts";

/** Who sends events. Publishable keys have their own limit within the org's limit. */
export interface Spender {
  readonly orgId: string;
  readonly isPublic: boolean;
}

/** Keeps an org's events within the month's allowance, where plans are enforced (contract §6). */
export interface Allowance {
  /**
   * Runs `accept` with how many of `events` the month still allows. If that is fewer, `accept` also gets the error for
   * the rest. When `accept` throws or returns null, nothing is spent.
   */
  spend<T>(spender: Spender, events: number, accept: Accept<T>): Promise<T | null>;
  /** Events that trusted senders may still send this month, and the error for further ones. Null without a limit. */
  left(orgId: string): Promise<{ readonly events: number; readonly exhausted: DomainError } | null>;
}

interface AllowanceDeps {
  /** Whether other processes accept events of the same orgs. */
  readonly isShared: boolean;
  readonly plans: Pick<OrgPlans, "isEnforced" | "inForce">;
  /** The share of the allowance that publishable keys may use, 0 to 1. */
  readonly publicShare: number;
  readonly clock: Clock;
  /** Counts the month's events of an org, or only those of its publishable keys. */
  readonly countNow: (spender: Spender, month: UsageMonth) => Promise<Count>;
}

/** A larger plan applies at once, so clients that wait check again within an hour instead of next month. */
const RETRY_SECONDS = 3_600;

/**
 * Makes the allowance of one process. Events of publishable keys are checked against their own share first, so that a
 * public key that nears its share delays no other sender.
 */
export function createAllowance(deps: AllowanceDeps): Allowance {
  const { isShared, plans, publicShare, clock, countNow } = deps;
  const quotaOf = (isPublic: boolean) =>
    createQuota({
      isShared,
      clock,
      countNow: (orgId, month) => countNow({ orgId, isPublic }, month),
      exhaustedError: isPublic ? publicExhaustedError : exhaustedError,
    });
  const [whole, ofPublic] = [quotaOf(false), quotaOf(true)];

  async function boundsOf(orgId: string): Promise<{ readonly whole: number; readonly public: number }> {
    const limits = PLAN_LIMITS[await plans.inForce(orgId)];
    const allowance = limits.isOverageBilled ? null : limits.monthlyEventAllowance;
    const share = publicAllowance(limits, publicShare);
    return { whole: allowance ?? Number.POSITIVE_INFINITY, public: share ?? Number.POSITIVE_INFINITY };
  }

  return {
    async spend({ orgId, isPublic }, events, accept) {
      if (!plans.isEnforced) return accept(events, null);
      const bounds = await boundsOf(orgId);
      const spendWhole: typeof accept = (granted, shareExhausted) =>
        whole.spend({ orgId, events: granted, bound: bounds.whole }, (taken, exhausted) =>
          accept(taken, exhausted ?? shareExhausted),
        );
      if (!isPublic) return spendWhole(events, null);
      return ofPublic.spend({ orgId, events, bound: bounds.public }, spendWhole);
    },
    async left(orgId) {
      if (!plans.isEnforced) return null;
      const bound = (await boundsOf(orgId)).whole;
      if (bound === Number.POSITIVE_INFINITY) return null;
      const now = clock.now();
      const month = monthOf(now);
      const { events } = await countNow({ orgId, isPublic: false }, month);
      return { events: Math.max(0, bound - events), exhausted: exhaustedError(month, bound, now) };
    },
  };
}

function exhaustedError(month: UsageMonth, quota: number, now: number): DomainError {
  return usedUp("events-per-month", { month, quota, now }, [
    `The ${quota.toLocaleString("en-US")} events that the plan allows in ${month} are used up.`,
    "to send more before then, move to a larger plan.",
  ]);
}

function publicExhaustedError(month: UsageMonth, quota: number, now: number): DomainError {
  return usedUp("publishable-events-per-month", { month, quota, now }, [
    `The ${quota.toLocaleString("en-US")} events that publishable keys may send in ${month} are used up: the rest of the plan's allowance is kept for the secret key, imports and signed webhooks.`,
    "until then, send from a server with the secret key, or move to a larger plan.",
  ]);
}

interface UsedUp {
  readonly month: UsageMonth;
  readonly quota: number;
  readonly now: number;
}

function usedUp(
  policy: string,
  { month, quota, now }: UsedUp,
  [fact, advice]: readonly [fact: string, advice: string],
): DomainError {
  const resetsAt = endOfMonth(month);
  const resetSeconds = toRetrySeconds(resetsAt - now);
  return new DomainError(
    "allowance-exhausted",
    `${fact} The counter resets at ${toInstant(resetsAt)}; ${advice}`,
    {
      retryAfterSeconds: Math.min(RETRY_SECONDS, resetSeconds),
      resetSeconds,
      limit: { policy, quota, windowSeconds: (resetsAt - startOfMonth(month)) / 1000 },
    },
  );
}
