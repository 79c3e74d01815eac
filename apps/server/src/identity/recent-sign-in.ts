import { type Caller, DomainError } from "@assay/domain";
import type { Deps } from "../deps.ts";

/** How recent a sign-in must be for actions that reveal secrets, give lasting access or affect a whole person. */
const RECENT_SIGN_IN_MS = 15 * 60_000;

/**
 * Throws `recent-sign-in-required` when the caller's sign-in is known to be older than 15 minutes. A provider's token
 * need not say when its holder signed in; the provider then decides how old a sign-in may be.
 */
export function rejectOldSignIn(
  { signedInAt }: Pick<Caller, "signedInAt">,
  { clock, identity }: Pick<Deps, "clock" | "identity">,
): void {
  if (signedInAt === null || clock.now() - signedInAt <= RECENT_SIGN_IN_MS) return;
  const way =
    identity.kind === "local"
      ? "Confirm with your passkey, or open a new sign-in link"
      : "Sign in again at your identity provider, at /auth/start?fresh=true";
  throw new DomainError(
    "recent-sign-in-required",
    `You signed in more than 15 minutes ago. ${way}, then repeat this.`,
  );
}
