import type { MeteredOverage } from "../billing/metered-overage.ts";
import type { BillingEvent } from "../billing/subscription-of.ts";
import type { UsageMonth } from "../metering/usage-month.ts";

/** All events of the billing provider, each stored once and kept, because they determine an org's subscription. */
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
  /** The provider's id of the checkout that the org opened last; null when it opened none. */
  findCheckout(orgId: string): Promise<string | null>;
  /** Stores the org's last checkout in place of the previous one. */
  putCheckout(orgId: string, checkoutId: string): Promise<void>;
  /** Both numbers are zero if nothing was reported. */
  getMetered(orgId: string, month: UsageMonth): Promise<MeteredOverage>;
  putMetered(orgId: string, month: UsageMonth, metered: MeteredOverage): Promise<void>;
}
