import type { BillingEvent } from "../billing/subscription-of.ts";

/** Every event of the billing provider, stored once and kept: an org's subscription is computed from all of them. */
export interface BillingStore {
  /**
   * Returns false when the event is already stored. Transactions that record wait for one another: when an event about a subscription
   * and one about its customer arrive at once, the second sees the first.
   */
  record(event: BillingEvent): Promise<boolean>;
  /** The org that the customer's events name; null when none does yet. */
  findOrgId(customerId: string): Promise<string | null>;
  /** Every event of the org's customers, including those from before the customer was linked to the org. */
  listEvents(orgId: string): Promise<readonly BillingEvent[]>;
}
