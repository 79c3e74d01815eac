import type { AuditEntry, Caller, JsonObject } from "@assay/domain";
import type { Deps } from "./deps.ts";

interface AuditedAction {
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly summary: string;
  readonly diff?: JsonObject | null;
}

/** Who acted in which org: a person, or a provider through its webhook. */
export type Actor = Pick<Caller, "orgId" | "userId" | "name" | "email">;

/** The actor of what the service does by itself. */
export const SYSTEM = { userId: "system", name: "Assay", email: "" };

/** Makes the audit entry of an action that happens now. Entries never contain keys or secrets. */
export function auditEntry(
  caller: Actor,
  action: AuditedAction,
  { clock, newId }: Pick<Deps, "clock" | "newId">,
): AuditEntry {
  return {
    id: newId(),
    orgId: caller.orgId,
    at: clock.now(),
    actor: { id: caller.userId, name: caller.name, email: caller.email },
    ...action,
    diff: action.diff ?? null,
  };
}
