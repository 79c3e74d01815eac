import type { BillingEvent, Plan } from "@assay/domain";

/** A plan that can be bought. */
export type PaidPlan = Extract<Plan, "pro" | "business">;

/** Where the hosted pages of the provider send the person back to. */
export interface ReturnUrls {
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** The billing provider. Its methods throw `billing-unavailable` when it does not answer. */
export interface Billing {
  /** The address of a hosted checkout; no card data passes through here. `customerId`: of the org, when it has one. */
  createCheckout(
    order: {
      readonly orgId: string;
      readonly plan: PaidPlan;
      readonly email: string;
      readonly customerId: string | null;
    } & ReturnUrls,
  ): Promise<string>;
  /** The address of the hosted portal. */
  createPortal(customerId: string, returnUrl: string): Promise<string>;
  /**
   * Verifies a delivery and reduces it to what we use. Null for an event of another type, which is acknowledged and ignored.
   * Throws `invalid-signature`, and `invalid-body` when an event of ours cannot be read.
   */
  readEvent(body: Buffer, signature: string): BillingEvent | null;
  /** The plan that a price is for; null for a price of something else. */
  planOfPrice(priceId: string): PaidPlan | null;
}
