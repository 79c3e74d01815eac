import { billing as operations, planAnswer } from "@assay/contract";
import { type Caller, DomainError, subscriptionOf } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Billing } from "../../billing/billing.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { ownOrigin } from "../../http/own-origin.ts";

export const getBillingSummary = defineRoute(operations.getBillingSummary, async ({ caller }, deps) => {
  const state = await deps.control.plans.get(caller.orgId);
  const { customerId, status, cycleEndsAt, cancelsAtCycleEnd, liveCount } = await loadSubscription(
    caller.orgId,
    deps,
  );
  return {
    ...planAnswer(state, deps.clock.now()),
    subscriptionStatus: status,
    currentPeriodEnd: cycleEndsAt,
    cancelAtPeriodEnd: cancelsAtCycleEnd,
    hasBillingAccount: customerId !== null,
    billingConfigured: deps.billing !== null,
    liveSubscriptions: liveCount,
  };
});

export const postCheckoutSession = defineRoute(
  operations.postCheckoutSession,
  async ({ body: { plan }, caller, request }, deps) => {
    const billing = configured(deps);
    const { orgId, email } = caller;
    const origin = ownOrigin(request);
    // One at a time, so that two people who open a checkout at once cannot both pay.
    const url = await deps.control.withLock(`checkout ${orgId}`, async () => {
      const { customerId, liveCount } = await loadSubscription(orgId, deps);
      if (liveCount > 0)
        throw new DomainError(
          "checkout-conflict",
          "The organization has a subscription: change it in the billing portal (POST /v1/billing/portal-session).",
        );
      await closeLastCheckout(orgId, billing, deps);
      const checkout = await billing.createCheckout({
        ...{ orgId, plan, email, customerId },
        successUrl: `${origin}/usage?billing=done`,
        cancelUrl: `${origin}/usage?billing=canceled`,
      });
      await deps.control.billing.putCheckout(orgId, checkout.id);
      return checkout.url;
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

/** Closes the last checkout. Throws `checkout-conflict` when it was paid and its subscription has not arrived yet. */
async function closeLastCheckout(
  orgId: string,
  billing: Billing,
  { control }: Pick<Deps, "control">,
): Promise<void> {
  const last = await control.billing.findCheckout(orgId);
  const paid = last === null ? null : await billing.closeCheckout(last);
  if (paid === null) return;
  const events = await control.billing.listEvents(orgId);
  if (events.some(({ subscription }) => subscription !== null && subscription.id === paid.subscriptionId))
    return;
  throw new DomainError(
    "checkout-conflict",
    "A checkout of this organization was just paid: its subscription arrives in a moment. Reload the page, and change it in the billing portal.",
  );
}

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
