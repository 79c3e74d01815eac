import type { IdentitySettings } from "../settings/identity-settings.ts";

const TIMEOUT_MS = 5_000;

/**
 * Checks that sessions can be verified, by fetching the provider's keys, and that people can sign in, by fetching its addresses. Throws an
 * error whose message says how to fix it.
 */
export async function probeIdentity(identity: IdentitySettings): Promise<string> {
  if (identity.kind === "local") return "local: sessions are signed here";
  const { jwksUrl, kind, issuer, client } = identity;
  const setting = `ASSAY_IDENTITY_JWKS_URL${kind === "clerk" ? " (by default the issuer's)" : ""}`;
  const { status, body } = await read(jwksUrl, setting);
  const keys = Array.isArray(body?.keys) ? body.keys.length : 0;
  if (keys === 0)
    throw new Error(
      `${jwksUrl} answers ${status} without public keys: set ASSAY_IDENTITY_JWKS_URL to the address of the provider's JWKS.`,
    );
  if (client !== null) await probeDiscovery(issuer);
  return `${kind}: ${keys} public key${keys === 1 ? "" : "s"} at ${jwksUrl}`;
}

async function probeDiscovery(issuer: string): Promise<void> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { status, body } = await read(url, "ASSAY_IDENTITY_ISSUER");
  if (typeof body?.issuer !== "string")
    throw new Error(
      `${url} answers ${status} without the provider's endpoints: set ASSAY_IDENTITY_ISSUER to the provider's issuer.`,
    );
  if (body.issuer !== issuer)
    throw new Error(`the provider's issuer is ${body.issuer}: set ASSAY_IDENTITY_ISSUER to exactly this.`);
}

interface Answer {
  readonly status: number;
  /** Null: not JSON, or an error. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

async function read(url: string, setting: string): Promise<Answer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
  if (response === null) throw new Error(`nothing answers at ${url}: check ${setting} and the network.`);
  const { ok, status } = response;
  return { status, body: ok ? ((await response.json().catch(() => null)) as Answer["body"]) : null };
}
