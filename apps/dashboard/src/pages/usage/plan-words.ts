import type { Wire } from "../../api/types.ts";

export type Plan = Wire<"BillingSummary">["plan"];
export type SubscriptionStatus = NonNullable<Wire<"BillingSummary">["subscription_status"]>;

export const PLANS: readonly Plan[] = ["free", "pro", "business", "enterprise"];

/** Whom each plan is for, without numbers: those are the installation's. */
export const PLAN_WORDS: Readonly<Record<Plan, string>> = {
  free: "To try Assay on real users.",
  pro: "For a product in production: a larger allowance, judge evaluations, raw text kept for longer.",
  business: "For many experiments at once: the largest allowance on sale.",
  enterprise: "By contract: the platform owner sets it.",
};

/** Says what happens to further events once the allowance is used up. */
export function atFull({ enforced, overage_billed: isBilled, events }: Wire<"UsageSummary">): string {
  if (!enforced)
    return "This installation meters and applies no plan limits: at 100 % nothing is refused and nothing is billed.";
  if (events.allowance === null) return "Your plan has no bound on events: nothing is refused.";
  return isBilled
    ? "At 100 % events are still accepted, and what goes beyond the allowance is billed as overage."
    : "At 100 % further events are refused (429, “allowance-exhausted”) until the counter resets or the plan grows. Assigning users goes on.";
}

/** Says what happens to judging once its allowance is used up. */
export function judgesAtFull({ enforced, judge_evaluations: judge }: Wire<"UsageSummary">): string {
  if (!enforced) return "Judges score as many answers as their metrics ask for: no plan limit is applied.";
  if (judge.allowance === null) return "Your plan has no bound on judge evaluations.";
  if (judge.allowance === 0)
    return "Your plan includes no judge evaluations: judged metrics are kept, and score nothing until the plan grows.";
  return "What is left of the judge evaluations is spread over the days left: each day draws fewer answers rather than none. At 100 % no more are drawn until the counter resets; nothing is billed.";
}

/** What each status of a subscription means for the plan. */
export const SUBSCRIPTION_WORDS: Readonly<Record<SubscriptionStatus, string>> = {
  active: "Active",
  trialing: "In its trial",
  past_due: "A payment is late: mend it in the billing portal. The plan stays for now",
  unpaid: "Unpaid: the plan is free until it is paid in the billing portal",
  paused: "Paused: the plan is free until it goes on",
  incomplete: "The first payment is not through yet",
  incomplete_expired: "The first payment never came",
  canceled: "Canceled",
};

const LIVE: readonly SubscriptionStatus[] = ["active", "trialing", "past_due", "unpaid", "paused"];

/** Tells whether a subscription is changed in the portal, because a second checkout would charge twice. */
export function isLive(status: Wire<"BillingSummary">["subscription_status"]): boolean {
  return status !== null && LIVE.includes(status);
}
