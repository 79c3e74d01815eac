import type { SecurityEvent } from "../security/security-event.ts";
import type { Page, PageQuery } from "./page.ts";

/** An event that belongs to an org. */
export type OrgSecurityEvent = SecurityEvent & { readonly orgId: string };

/** The security events of each org, limited in number and age. */
export interface SecurityEventStore {
  /** Stores the events, and removes what exceeds `MAX_KEPT_BY_EVENT` and `MAX_KEPT_BY_NETWORK`. */
  append(events: readonly OrgSecurityEvent[]): Promise<void>;
  /** Removes the events of all orgs from before `until`. */
  expire(until: number): Promise<void>;
  /** Events at or after `since`, newest first. */
  list(orgId: string, filter: PageQuery & { readonly since: number }): Promise<Page<OrgSecurityEvent>>;
}
