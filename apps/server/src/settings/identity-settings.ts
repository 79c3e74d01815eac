import { parseChoice, parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/** The provider whose session tokens are accepted. */
export interface ProviderSettings {
  readonly kind: "clerk" | "oidc";
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** Verifies `POST /v1/webhooks/clerk`; null when no delivery is accepted. */
  readonly webhookSecret: string | null;
  /** Where seat caps are pushed; null when they are not. */
  readonly api: { readonly url: string; readonly key: string } | null;
}

export type IdentitySettings = { readonly kind: "local" } | ProviderSettings;

const CLERK_API_URL = "https://api.clerk.com/v1";

export const IDENTITY_SETTINGS = [
  { name: "ASSAY_IDENTITY", default: "local", meaning: "who signs sessions: local, clerk or oidc" },
  { name: "ASSAY_IDENTITY_ISSUER", default: "none", meaning: "`iss` of the provider's session tokens" },
  { name: "ASSAY_IDENTITY_AUDIENCE", default: "none", meaning: "what their `aud` must contain" },
  {
    name: "ASSAY_IDENTITY_JWKS_URL",
    default: "clerk: the issuer's",
    meaning: "http(s):// address of the provider's public keys (JWKS)",
  },
  {
    name: "ASSAY_IDENTITY_WEBHOOK_SECRET",
    default: "none",
    meaning: "whsec_… secret that signs the provider's webhooks (Clerk's format)",
    isSecret: true,
  },
  {
    name: "ASSAY_IDENTITY_API_KEY",
    default: "none",
    meaning: "secret key of the provider's API, to which seat caps are pushed (Clerk's API)",
    isSecret: true,
  },
  { name: "ASSAY_IDENTITY_API_URL", default: CLERK_API_URL, meaning: "http(s):// address of that API" },
] as const;

const PROVIDER_ONLY = IDENTITY_SETTINGS.map(({ name }) => name).filter((name) => name !== "ASSAY_IDENTITY");

/** Reads who signs sessions. Throws a `SettingsError`. */
export function parseIdentity(read: ReadSetting): IdentitySettings {
  const kind = parseChoice("ASSAY_IDENTITY", read("ASSAY_IDENTITY") ?? "local", ["local", "clerk", "oidc"]);
  if (kind === "local") {
    rejectSet(PROVIDER_ONLY, read);
    return { kind };
  }
  const why = `ASSAY_IDENTITY=${kind}`;
  const issuer = required("ASSAY_IDENTITY_ISSUER", why, read);
  const audience = required("ASSAY_IDENTITY_AUDIENCE", why, read);
  const jwksUrl =
    kind === "clerk" && read("ASSAY_IDENTITY_JWKS_URL") === undefined
      ? `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`
      : required("ASSAY_IDENTITY_JWKS_URL", why, read);
  return {
    kind,
    issuer,
    audience,
    jwksUrl: parseUrl("ASSAY_IDENTITY_JWKS_URL", jwksUrl, ["http:", "https:"]),
    webhookSecret: parseWebhookSecret(read("ASSAY_IDENTITY_WEBHOOK_SECRET")),
    api: parseApi(read),
  };
}

function rejectSet(names: readonly string[], read: ReadSetting): void {
  const name = names.find((one) => read(one) !== undefined);
  if (name !== undefined)
    throw new SettingsError(
      `${name} has no effect without ASSAY_IDENTITY=clerk or oidc: unset it, or set ASSAY_IDENTITY.`,
    );
}

function parseWebhookSecret(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return text;
  throw new SettingsError(
    "ASSAY_IDENTITY_WEBHOOK_SECRET must be the endpoint's signing secret: whsec_ followed by base64.",
  );
}

function parseApi(read: ReadSetting): ProviderSettings["api"] {
  const [key, url] = [read("ASSAY_IDENTITY_API_KEY"), read("ASSAY_IDENTITY_API_URL")];
  if (key === undefined) {
    if (url !== undefined) required("ASSAY_IDENTITY_API_KEY", "ASSAY_IDENTITY_API_URL", read);
    return null;
  }
  return {
    key,
    url: parseUrl("ASSAY_IDENTITY_API_URL", url ?? CLERK_API_URL, ["http:", "https:"]).replace(/\/$/, ""),
  };
}
