import type { BillingEvent, Plan } from "@assay/domain";

/** A plan that can be bought. */
export type PaidPlan = Extract<Plan, "pro" | "business">;

/** The address to which the provider's hosted pages return the person. */
export interface ReturnUrls {
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** A checkout at the provider, and the address of its page. */
export interface HostedCheckout {
  readonly id: string;
  readonly url: string;
}

/** A checkout that was paid. */
export interface PaidCheckout {
  /** Null until the provider has made the subscription. */
  readonly subscriptionId: string | null;
}

/** Events beyond an allowance that have not been reported to the provider. */
export interface Overage {
  readonly customerId: string;
  readonly events: number;
  /** Epoch milliseconds, in the month of the events. */
  readonly at: number;
  /** Identifies the report. */
  readonly id: string;
}

/** The billing provider. Its methods throw `billing-unavailable` when it does not answer. */
export interface Billing {
  /** Creates a hosted checkout; no card data passes through Assay. `customerId` is null for a new customer. */
  createCheckout(
    order: {
      readonly orgId: string;
      readonly plan: PaidPlan;
      readonly email: string;
      readonly customerId: string | null;
    } & ReturnUrls,
  ): Promise<HostedCheckout>;
  /** Closes a checkout, so that nobody can pay it any more, and returns null. If it was already paid, returns it. */
  closeCheckout(checkoutId: string): Promise<PaidCheckout | null>;
  /** Creates a session of the hosted portal and returns its address. */
  createPortal(customerId: string, returnUrl: string): Promise<string>;
  /**
   * Verifies a delivery and reduces it to what Assay uses; null for an event of another type, which is acknowledged and ignored.
   * Throws `invalid-signature`, or `invalid-body` when an event that Assay uses cannot be read.
   */
  readEvent(body: Buffer, signature: string): BillingEvent | null;
  /**
   * Reports events beyond an allowance to the provider. Repeats with the same id count once. Null when this
   * installation has no meter.
   */
  readonly meterOverage: ((overage: Overage) => Promise<void>) | null;
  /** Finds the plan of a price; null for any other price. */
  planOfPrice(priceId: string): PaidPlan | null;
}
