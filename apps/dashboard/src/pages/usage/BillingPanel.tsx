import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { queries } from "../../api/queries.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Button } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { PlanChoice } from "./PlanChoice.tsx";
import { isLive, SUBSCRIPTION_WORDS } from "./plan-words.ts";

/** The plan, its subscription, and links to the billing provider. */
export function BillingPanel() {
  const billing = useQuery(queries.billing());
  return (
    <Panel title="Plan and billing">
      <CheckoutReturn />
      <Loaded query={billing}>{(summary) => <Billing summary={summary} />}</Loaded>
    </Panel>
  );
}

function Billing({ summary }: { readonly summary: Wire<"BillingSummary"> }) {
  return (
    <div className="form">
      {summary.live_subscriptions > 1 ? (
        <Notice tone="bad" title={`${summary.live_subscriptions} live subscriptions`}>
          <p>
            Your organization pays for each of them. Cancel all but one in the billing portal. If it does not
            show them all, ask the platform owner, who can cancel them at Stripe.
          </p>
        </Notice>
      ) : null}
      <Facts facts={factsOf(summary)} />
      {summary.billing_configured ? <Portal summary={summary} /> : <NoBilling />}
      <PlanChoice summary={summary} />
    </div>
  );
}

function NoBilling() {
  return (
    <Notice tone="info" title="This installation has no billing">
      <p>Nothing is charged. The platform owner sets plans; ask them for a larger one.</p>
    </Notice>
  );
}

function factsOf(summary: Wire<"BillingSummary">) {
  const { subscription_status: status, next_plan: next, next_plan_at: nextAt } = summary;
  const rows: (readonly [string, React.ReactNode])[] = [["Current plan", summary.plan]];
  if (summary.plan_override !== null)
    rows.push(["Pinned by the platform owner", `${summary.plan_override}, overrides the subscription`]);
  rows.push(["Subscription", status === null ? "none" : SUBSCRIPTION_WORDS[status]]);
  if (status !== null) rows.push(["Subscription plan", summary.subscription_plan]);
  if (summary.current_period_end !== null)
    rows.push([
      summary.cancel_at_period_end ? "Ends" : "Paid until",
      <Time key="end" at={summary.current_period_end} />,
    ]);
  if (next !== null)
    rows.push([
      "Next plan",
      <span key="next">
        {next}
        {nextAt === null ? null : (
          <>
            {" from "}
            <Time at={nextAt} />
          </>
        )}
      </span>,
    ]);
  return rows;
}

function Portal({ summary }: { readonly summary: Wire<"BillingSummary"> }) {
  const me = useMe();
  const portal = useMutation({
    mutationFn: () => unwrap(api.POST("/v1/billing/portal-session")),
    onSuccess: ({ url }) => location.assign(url),
  });
  if (!isAdmin(me)) return <p className="muted">Ask an admin of your organization to change the plan.</p>;
  if (!summary.has_billing_account)
    return (
      <p className="muted">
        After the first checkout, you can manage your card, invoices and cancellation here.
      </p>
    );
  return (
    <div className="row">
      {portal.error ? <ProblemNotice problem={portal.error} /> : null}
      <Button onPress={() => portal.mutate()} isPending={portal.isPending}>
        Open the billing portal
      </Button>
      <span className="muted">
        {isLive(summary.subscription_status)
          ? "Change the plan or card, see invoices, cancel."
          : "See past invoices."}
      </span>
    </div>
  );
}

/** Shown after a checkout. The plan changes when the provider's webhook arrives, seconds later. */
function CheckoutReturn() {
  const { billing } = useSearch({ from: "/shell/usage" });
  if (billing === "done")
    return (
      <Notice tone="good" role="status" title="Thank you. The checkout is complete">
        <p>The plan changes when the billing provider confirms, usually within a minute.</p>
      </Notice>
    );
  if (billing === "canceled")
    return (
      <Notice tone="quiet" role="status" title="Checkout canceled">
        <p>Nothing was charged or changed.</p>
      </Notice>
    );
  return null;
}
