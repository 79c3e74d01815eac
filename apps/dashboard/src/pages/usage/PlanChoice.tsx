import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import type { Wire } from "../../api/types.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { isLive, PLAN_WORDS, PLANS, type Plan } from "./plan-words.ts";

type Sold = Wire<"CheckoutRequest">["plan"];

/** All plans, with a checkout for those on sale. */
export function PlanChoice({ summary }: { readonly summary: Wire<"BillingSummary"> }) {
  const checkout = useMutation({
    mutationFn: (plan: Sold) => unwrap(api.POST("/v1/billing/checkout-session", { body: { plan } })),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <div>
      <h3>Plans</h3>
      {checkout.error ? <ProblemNotice problem={checkout.error} /> : null}
      <ul className="usage-plans">
        {PLANS.map((plan) => (
          <li key={plan}>
            <p className="row">
              <strong>{plan}</strong>
              {plan === summary.plan ? <Badge tone="info">current</Badge> : null}{" "}
            </p>
            <p className="muted">{PLAN_WORDS[plan]}</p>
            <Offer
              plan={plan}
              summary={summary}
              isPending={checkout.isPending && checkout.variables === plan}
              onCheckout={checkout.mutate}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OfferProps {
  readonly plan: Plan;
  readonly summary: Wire<"BillingSummary">;
  readonly isPending: boolean;
  readonly onCheckout: (plan: Sold) => void;
}

function Offer({ plan, summary, isPending, onCheckout }: OfferProps) {
  const me = useMe();
  if (plan === "free" || plan === "enterprise" || plan === summary.plan || !summary.billing_configured)
    return null;
  if (isLive(summary.subscription_status))
    return <p className="muted">Change your subscription in the billing portal.</p>;
  if (!isAdmin(me)) return <p className="muted">Ask an admin to check out.</p>;
  return (
    <Button onPress={() => onCheckout(plan)} isPending={isPending}>
      Check out {plan}
    </Button>
  );
}
