import type { Role } from "@assay/domain";
import { LOCAL_ORG, LOCAL_OWNER, localIdentity } from "@assay/server/local-identity";
import type { Settings } from "@assay/server/settings";
import { readSigningKey, type SigningKeySettings } from "@assay/server/signing-key";
import { CommandError } from "./command-error.ts";

interface Subject {
  readonly email?: string | undefined;
  /** The external id of the org. */
  readonly org?: string | undefined;
  readonly role?: Role;
}

/**
 * Signs a session token with the installation's key, by default for the local owner. Throws a `CommandError` when a provider
 * signs the sessions, because the service would not accept this token.
 */
export async function issueToken(
  { identity, ...settings }: Pick<Settings, "identity"> & SigningKeySettings,
  subject: Subject = {},
): Promise<string> {
  if (identity.kind !== "local")
    throw new CommandError(
      `With ASSAY_IDENTITY=${identity.kind} sessions are signed by ${identity.issuer}: set ASSAY_TOKEN to a service token of the dashboard, or get a session token there.`,
    );
  const { email = LOCAL_OWNER.email, org = LOCAL_ORG.externalId, role = "owner" } = subject;
  const signingKey = await readSigningKey(settings);
  const name = email === LOCAL_OWNER.email ? LOCAL_OWNER.name : email;
  const { issue } = localIdentity(signingKey, { now: () => Date.now() });
  return issue({ email, name, role, externalOrgId: org });
}
