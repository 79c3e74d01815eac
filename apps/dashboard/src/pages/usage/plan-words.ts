import type { Wire } from "../../api/types.ts";
import { counted } from "../../format/numbers.ts";

export type Plan = Wire<"BillingSummary">["plan"];
export type SubscriptionStatus = NonNullable<Wire<"BillingSummary">["subscription_status"]>;

export const PLANS: readonly Plan[] = ["free", "pro", "business", "enterprise"];

/** Descriptions of the plans, without numbers, because each installation sets its own. */
export const PLAN_WORDS: Readonly<Record<Plan, string>> = {
  free: "For trying Assay on real users.",
  pro: "For production: a larger allowance, judge evaluations, longer retention.",
  business: "For many experiments: the largest allowance on sale.",
  enterprise: "By contract. The platform owner sets it.",
};

/** Describes what happens once the event allowance is used up. */
export function atFull(usage: Wire<"UsageSummary">): string {
  const { enforced, events } = usage;
  if (!enforced)
    return "This installation does not apply plan limits: at 100%, no events are refused or billed.";
  if (events.allowance === null) return "Your plan has unlimited events.";
  const beyond = beyondAllowance(usage);
  if (beyond === "billed")
    return "At 100%, events are still accepted; those beyond the allowance are billed as overage.";
  return beyond === "accepted"
    ? "At 100%, events are still accepted. This installation does not charge for those beyond the allowance."
    : "At 100%, further events are refused (429, “allowance-exhausted”) until the counter resets or you upgrade the plan. Users are still assigned.";
}

/** What happens to events beyond the allowance; "–" without an allowance. */
export function beyondAllowance(
  usage: Pick<Wire<"UsageSummary">, "events" | "overage_billed" | "overage_metered">,
): "–" | "billed" | "accepted" | "refused" {
  if (usage.events.allowance === null) return "–";
  if (!usage.overage_billed) return "refused";
  return usage.overage_metered ? "billed" : "accepted";
}

/** Describes the events beyond the allowance so far. */
export function overageInWords(usage: Wire<"UsageSummary">): string {
  const events = `${counted(usage.events.overage, "event")} beyond the allowance`;
  return usage.overage_metered
    ? `${events}: billed as overage.`
    : `${events}. This installation does not charge for them.`;
}

/** Describes what happens once the judge allowance is used up. */
export function judgesAtFull({ enforced, judge_evaluations: judge }: Wire<"UsageSummary">): string {
  if (!enforced) return "Judge evaluations are not limited on this installation.";
  if (judge.allowance === null) return "Your plan has unlimited judge evaluations.";
  if (judge.allowance === 0)
    return "Your plan includes no judge evaluations. Judged metrics are saved, but not scored until you upgrade the plan.";
  return "The remaining judge evaluations are spread over the rest of the month, so a day may draw fewer answers. At 100%, no more answers are drawn until the counter resets. Nothing is billed.";
}

/** The subscription statuses and what they mean for the plan. */
export const SUBSCRIPTION_WORDS: Readonly<Record<SubscriptionStatus, string>> = {
  active: "Active",
  trialing: "Trial",
  past_due: "Payment past due. Update it in the billing portal; the plan stays for now",
  unpaid: "Unpaid. The plan is free until you pay in the billing portal",
  paused: "Paused. The plan is free until the subscription resumes",
  incomplete: "First payment pending",
  incomplete_expired: "First payment failed",
  canceled: "Canceled",
};

const LIVE: readonly SubscriptionStatus[] = ["active", "trialing", "past_due", "unpaid", "paused"];

/** Returns whether the subscription must be changed in the portal, because a second checkout would charge twice. */
export function isLive(status: Wire<"BillingSummary">["subscription_status"]): boolean {
  return status !== null && LIVE.includes(status);
}
