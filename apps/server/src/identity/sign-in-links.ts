import { createHash, randomBytes } from "node:crypto";
import type { Clock, ControlStores, Role } from "@assay/domain";
import type { SessionTokens } from "./local-identity.ts";

const MINUTE_MS = 60_000;
export const TICKET_MS = 60 * MINUTE_MS;
export const INVITATION_MS = 7 * 24 * 60 * MINUTE_MS;

export interface LinkSubject {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly externalOrgId: string;
}

type LinkDeps = { readonly control: Pick<ControlStores, "signInLinks">; readonly clock: Clock };

/** Makes a one-time sign-in token; the store keeps only its hash. */
export async function createSignInToken(
  subject: LinkSubject,
  lifetimeMs: number,
  deps: LinkDeps,
): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = deps.clock.now() + lifetimeMs;
  await deps.control.signInLinks.create({ ...subject, tokenHash: hashToken(token), expiresAt });
  return token;
}

/** Trades a one-time token for a session token; null when it is unknown, used or expired. */
export async function redeemSignInToken(
  token: string,
  deps: LinkDeps & { readonly tokens: SessionTokens },
): Promise<string | null> {
  const link = await deps.control.signInLinks.redeem(hashToken(token), deps.clock.now());
  return link === null ? null : deps.tokens.issue(link);
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
