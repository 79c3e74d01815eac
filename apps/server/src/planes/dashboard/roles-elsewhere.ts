import { DomainError } from "@assay/domain";
import type { IdentityProvider } from "../../identity/identity-provider.ts";

/** Throws `members-elsewhere` where the provider's tokens name the role: the next one would overwrite a change made here. */
export function rejectRolesElsewhere(identity: IdentityProvider): void {
  if (identity.kind !== "local" && identity.claims.defaultRole === null)
    throw new DomainError(
      "members-elsewhere",
      `Roles are kept at ${identity.issuer}: change them there. Members can be removed here.`,
    );
}
