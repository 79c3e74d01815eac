import { DomainError } from "@assay/domain";
import type { IdentityProvider } from "../../identity/identity-provider.ts";

/** Throws `members-elsewhere` if the provider's tokens set the role, since the next token would undo a change made here. */
export function rejectRolesElsewhere(identity: IdentityProvider): void {
  if (identity.kind !== "local" && identity.claims.defaultRole === null)
    throw new DomainError(
      "members-elsewhere",
      `Roles are managed at ${identity.issuer}: change them there. Members can be removed here.`,
    );
}
