import { billing as operations, planAnswer } from "@assay/contract";
import { type Caller, DomainError, subscriptionOf } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Billing } from "../../billing/billing.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { ownOrigin } from "../../http/own-origin.ts";

export const getBillingSummary = defineRoute(operations.getBillingSummary, async ({ caller }, deps) => {
  const state = await deps.control.plans.get(caller.orgId);
  const { customerId, status, cycleEndsAt, cancelsAtCycleEnd } = await loadSubscription(caller.orgId, deps);
  return {
    ...planAnswer(state, deps.clock.now()),
    subscriptionStatus: status,
    currentPeriodEnd: cycleEndsAt,
    cancelAtPeriodEnd: cancelsAtCycleEnd,
    hasBillingAccount: customerId !== null,
    billingConfigured: deps.billing !== null,
  };
});

export const postCheckoutSession = defineRoute(
  operations.postCheckoutSession,
  async ({ body: { plan }, caller, request }, deps) => {
    const billing = configured(deps);
    const { customerId, hasLive } = await loadSubscription(caller.orgId, deps);
    if (hasLive)
      throw new DomainError(
        "checkout-conflict",
        "The organization has a subscription: change it in the billing portal (POST /v1/billing/portal-session).",
      );
    const origin = ownOrigin(request);
    const url = await billing.createCheckout({
      orgId: caller.orgId,
      plan,
      email: caller.email,
      customerId,
      successUrl: `${origin}/usage?billing=done`,
      cancelUrl: `${origin}/usage?billing=canceled`,
    });
    await record(
      caller,
      { action: "billing.checkout", summary: `Opened the checkout of the plan ${plan}.` },
      deps,
    );
    return { url };
  },
);

export const postPortalSession = defineRoute(
  operations.postPortalSession,
  async ({ caller, request }, deps) => {
    const billing = configured(deps);
    const { customerId } = await loadSubscription(caller.orgId, deps);
    if (customerId === null)
      throw new DomainError(
        "no-billing-account",
        "The organization has never checked out: start with POST /v1/billing/checkout-session.",
      );
    const url = await billing.createPortal(customerId, `${ownOrigin(request)}/usage?billing=portal`);
    await record(caller, { action: "billing.portal", summary: "Opened the billing portal." }, deps);
    return { url };
  },
);

function configured({ billing }: Pick<Deps, "billing">): Billing {
  if (billing !== null) return billing;
  throw new DomainError(
    "billing-not-configured",
    "This installation has no billing provider: its owner sets the plans.",
  );
}

/** Past billing events still count after the provider was removed from the settings. */
async function loadSubscription(orgId: string, { control, billing }: Pick<Deps, "control" | "billing">) {
  const events = await control.billing.listEvents(orgId);
  return subscriptionOf(events, billing?.planOfPrice ?? (() => null));
}

function record(caller: Caller, entry: { readonly action: string; readonly summary: string }, deps: Deps) {
  const target = { targetType: "org", targetId: caller.orgId };
  return deps.control.audit.record(auditEntry(caller, { ...entry, ...target }, deps));
}
