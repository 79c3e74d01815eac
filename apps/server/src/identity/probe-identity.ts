import type { IdentitySettings } from "../settings/identity-settings.ts";

const TIMEOUT_MS = 5_000;

/** Checks that sessions can be verified, by fetching the provider's keys. Throws an error whose message says how to fix it. */
export async function probeIdentity(identity: IdentitySettings): Promise<string> {
  if (identity.kind === "local") return "local: sessions are signed here";
  const { jwksUrl, kind } = identity;
  const response = await fetch(jwksUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  if (response === null)
    throw new Error(
      `nothing answers at ${jwksUrl}: check ASSAY_IDENTITY_JWKS_URL (${kind}: by default the issuer's) and the network.`,
    );
  const body = (await response.json().catch(() => null)) as { readonly keys?: unknown } | null;
  const keys = Array.isArray(body?.keys) ? body.keys.length : 0;
  if (response.ok && keys > 0) return `${kind}: ${keys} public key${keys === 1 ? "" : "s"} at ${jwksUrl}`;
  throw new Error(
    `${jwksUrl} answers ${response.status} without public keys: ASSAY_IDENTITY_JWKS_URL must be the provider's JWKS.`,
  );
}
