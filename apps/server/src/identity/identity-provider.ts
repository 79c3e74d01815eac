import type { Identity, Role } from "@assay/domain";

/** Whom a session token of the local identity is for. */
export interface SessionSubject {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly externalOrgId: string;
  /** The session that goes on; a new one when not given. */
  readonly session?: Identity["session"];
}

interface Verifier {
  /** Throws `invalid-credential`, or `identity-unavailable` when the provider's keys cannot be had. */
  verify(token: string): Promise<Identity>;
}

/** This installation signs its sessions itself. */
export interface LocalIdentity extends Verifier {
  readonly kind: "local";
  issue(subject: SessionSubject): Promise<string>;
}

/** Another signs them; its public keys are at hand. */
export interface ProviderIdentity extends Verifier {
  readonly kind: "clerk" | "oidc";
  readonly issuer: string;
  /** Signs the provider's webhooks; null: none is taken. */
  readonly webhookSecret: string | null;
}

export type IdentityProvider = LocalIdentity | ProviderIdentity;
