import type { ExternalMember, Identity, Person, Role, Session } from "@assay/domain";
import type { ClaimSettings } from "../settings/identity-settings.ts";
import type { OidcClient } from "./oidc-client.ts";
import type { SessionTokens } from "./session-tokens.ts";

/** The person that a session token of the local identity is for. */
export interface SessionSubject {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly externalOrgId: string;
  /** The session to continue; a new one when absent. */
  readonly session?: Pick<Session, "id" | "startedAt"> | null;
}

interface Verifier {
  /** Verifies a token. Throws `invalid-credential`, or `identity-unavailable` when the provider's keys cannot be fetched. */
  verify(token: string): Promise<Identity>;
  /** Does the same for a person who needs no org: a token without one is accepted, and `externalOrgId` is absent. */
  verifyPerson(token: string): Promise<Person & Partial<ExternalMember>>;
}

/** An identity whose sessions this installation signs itself. */
export interface LocalIdentity extends Verifier {
  readonly kind: "local";
  issue(subject: SessionSubject): Promise<string>;
}

/** How an installation signs people in at its provider, and the sessions that they then get here. */
export interface SignIn {
  readonly client: OidcClient;
  readonly tokens: SessionTokens;
}

/** An identity whose sessions a provider signs, verified with its public keys. */
export interface ProviderIdentity extends Verifier {
  readonly kind: "clerk" | "oidc";
  readonly issuer: string;
  readonly claims: ClaimSettings;
  /** Null: something in front of this installation signs people in. */
  readonly signIn: SignIn | null;
  /** Verifies the provider's webhooks; null when none are accepted. */
  readonly webhookSecret: string | null;
}

export type IdentityProvider = LocalIdentity | ProviderIdentity;
