import type { BillingEvent } from "../billing/subscription-of.ts";

/** What the billing provider said, each event once and for ever: an org's subscription is computed from all of it. */
export interface BillingStore {
  /**
   * False when the event is stored already. Transactions that record wait for one another, so that of two words at once, one on a
   * subscription and one on whose customer it is, the second sees the first.
   */
  record(event: BillingEvent): Promise<boolean>;
  /** The org of a customer: what the customer's events name. Null when none does yet. */
  findOrgId(customerId: string): Promise<string | null>;
  /** Every event of the org's customers, those before the customer was known to be the org's included. */
  listEvents(orgId: string): Promise<readonly BillingEvent[]>;
}
