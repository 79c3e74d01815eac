import type { AuditEntry, Caller, JsonObject } from "@assay/domain";
import type { Deps } from "./deps.ts";

interface Deed {
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly summary: string;
  readonly diff?: JsonObject | null;
}

/** Who did it, in which org: a person, or a provider whose webhook did. */
type Actor = Pick<Caller, "orgId" | "userId" | "name" | "email">;

/** Makes the audit entry of something that the caller did now. Deeds never carry keys or secrets. */
export function auditEntry(
  caller: Actor,
  deed: Deed,
  { clock, newId }: Pick<Deps, "clock" | "newId">,
): AuditEntry {
  return {
    id: newId(),
    orgId: caller.orgId,
    at: clock.now(),
    actor: { id: caller.userId, name: caller.name, email: caller.email },
    action: deed.action,
    targetType: deed.targetType,
    targetId: deed.targetId,
    summary: deed.summary,
    diff: deed.diff ?? null,
  };
}
