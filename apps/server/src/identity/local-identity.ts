import type { Clock } from "@assay/domain";
import type { LocalIdentity } from "./identity-provider.ts";
import { sessionTokens } from "./session-tokens.ts";

const LOCAL_AUDIENCE = "assay";
/** The org and the owner that the first start creates. */
export const LOCAL_ORG = { externalId: "local", name: "My organization" } as const;
export const LOCAL_OWNER = { email: "owner@assay.local", name: "Owner" } as const;

/** Makes the local identity from its signing key (PKCS #8 PEM, Ed25519). */
export function localIdentity(signingKeyPem: Buffer, clock: Clock): LocalIdentity {
  // A link signs in anybody who can read the mailbox, or who gets it from an admin.
  const tokens = sessionTokens(signingKeyPem, { audience: LOCAL_AUDIENCE, vouchesForEmails: true }, clock);
  return {
    kind: "local",
    verify: tokens.verify,
    verifyPerson: tokens.verifyPerson,
    issue: ({ email, externalOrgId, ...subject }) =>
      tokens.issue({
        ...subject,
        email,
        externalOrgId,
        externalUserId: localSubject(email),
        isEmailVerified: true,
        orgName: orgName(externalOrgId),
      }),
  };
}

/** Builds the external id of a person of the local identity, whom the email identifies. */
export function localSubject(email: string): string {
  return `local|${email.toLowerCase()}`;
}

/** Names an org of the local identity. Orgs made by a token of the command line are named by their id. */
export function orgName(externalOrgId: string): string {
  return externalOrgId === LOCAL_ORG.externalId ? LOCAL_ORG.name : externalOrgId;
}
