import type { KeyScope } from "../ports/keys.ts";

/** The purpose and owner of a sealed secret. Its ciphertext opens only with these, so a copy in another row is useless. */
export interface SealBinding {
  readonly purpose: string;
  /** Null: the installation's. */
  readonly orgId: string | null;
}

/** A stored secret with its binding. */
export interface SealedSecret {
  readonly binding: SealBinding;
  readonly sealed: string;
}

/** Binds an org's API key. */
export const keyBinding = (orgId: string, scope: KeyScope): SealBinding => ({
  purpose: `${scope}-key`,
  orgId,
});

/** Binds the secret with which an org signs its business events. */
export const webhookBinding = (orgId: string): SealBinding => ({ purpose: "webhook-secret", orgId });

/** Binds the address of an alert channel, or one of the secrets that sign its messages. */
export const alertBinding = (
  { orgId, id }: { readonly orgId: string; readonly id: string },
  part: "target" | "secret",
): SealBinding => ({ purpose: `alert-${part} ${id}`, orgId });

/** Binds the provider's refresh token of a session. */
export const sessionBinding = (sessionId: string): SealBinding => ({
  purpose: `refresh-token ${sessionId}`,
  orgId: null,
});

/** Binds a secret that the installation generated. */
export const installationBinding = (name: string): SealBinding => ({ purpose: name, orgId: null });
