import type { Role } from "@assay/domain";
import { LOCAL_ORG, LOCAL_OWNER, localSessionTokens, makeSigningKey, openDataFolder } from "@assay/server";

interface Subject {
  readonly email?: string | undefined;
  /** External id of the org. */
  readonly org?: string | undefined;
  readonly role?: Role;
}

/** Signs a session token with the data folder's key; by default for the local owner. */
export function issueToken(dataDir: string, subject: Subject = {}): Promise<string> {
  const { email = LOCAL_OWNER.email, org = LOCAL_ORG.externalId, role = "owner" } = subject;
  const signingKey = openDataFolder(dataDir).secret("identity.key", makeSigningKey);
  const name = email === LOCAL_OWNER.email ? LOCAL_OWNER.name : email;
  const tokens = localSessionTokens(signingKey, { now: () => Date.now() });
  return tokens.issue({ email, name, role, externalOrgId: org });
}
