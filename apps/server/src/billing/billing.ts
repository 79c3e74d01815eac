import type { BillingEvent, Plan } from "@assay/domain";

/** A plan that can be bought. */
export type PaidPlan = Extract<Plan, "pro" | "business">;

/** Where the provider's hosted pages send the person back to. */
export interface ReturnUrls {
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** The billing provider. Its methods throw `billing-unavailable` when it does not answer. */
export interface Billing {
  /** Creates a hosted checkout and returns its address; no card data passes through Assay. `customerId` is null for a new customer. */
  createCheckout(
    order: {
      readonly orgId: string;
      readonly plan: PaidPlan;
      readonly email: string;
      readonly customerId: string | null;
    } & ReturnUrls,
  ): Promise<string>;
  /** Creates a session of the hosted portal and returns its address. */
  createPortal(customerId: string, returnUrl: string): Promise<string>;
  /**
   * Verifies a delivery and reduces it to what Assay uses; null for an event of another type, which is acknowledged and ignored.
   * Throws `invalid-signature`, or `invalid-body` when an event that Assay uses cannot be read.
   */
  readEvent(body: Buffer, signature: string): BillingEvent | null;
  /** Finds the plan of a price; null for any other price. */
  planOfPrice(priceId: string): PaidPlan | null;
}
