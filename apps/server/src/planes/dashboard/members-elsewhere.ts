import { DomainError } from "@assay/domain";
import type { IdentityProvider, LocalIdentity } from "../../identity/identity-provider.ts";

/** Throws `members-elsewhere` where another provider keeps the members: a change made here would be overwritten. */
export function rejectMembersElsewhere(identity: IdentityProvider): asserts identity is LocalIdentity {
  if (identity.kind !== "local")
    throw new DomainError("members-elsewhere", `Members are kept at ${identity.issuer}: change them there.`);
}
