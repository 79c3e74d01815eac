import { DomainError } from "@assay/domain";
import type { IdentityProvider, LocalIdentity } from "../../identity/identity-provider.ts";

/** Throws `members-elsewhere` where another provider says who is a member: a change made here would not last. */
export function rejectMembersElsewhere(identity: IdentityProvider): asserts identity is LocalIdentity {
  if (identity.kind !== "local")
    throw new DomainError("members-elsewhere", `Members are kept at ${identity.issuer}: change them there.`);
}
