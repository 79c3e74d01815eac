import type { JsonObject } from "../json.ts";
import type { Page, PageQuery } from "./page.ts";

export interface AuditEntry {
  readonly id: string;
  readonly orgId: string;
  readonly at: number;
  readonly actor: { readonly id: string; readonly name: string; readonly email: string };
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly summary: string;
  readonly diff: JsonObject | null;
}

export interface AuditStore {
  record(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(orgId: string, filter: PageQuery & { readonly targetId?: string }): Promise<Page<AuditEntry>>;
  /**
   * Times of the entries of one action on one target at or after `since`, oldest first. Limits that must hold across restarts and
   * processes count these.
   */
  listTimes(
    orgId: string,
    filter: { action: string; targetId: string; since: number },
  ): Promise<readonly number[]>;
}
