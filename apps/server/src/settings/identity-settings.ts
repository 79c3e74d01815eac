import { ROLES, type Role } from "@assay/domain";
import { parseChoice, parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/**
 * The claims of a token and their meaning. A claim is given by its name, or by its path:
 * `realm_access.roles`.
 */
export interface ClaimSettings {
  readonly email: string;
  readonly name: string;
  readonly org: string;
  readonly role: string;
  /** The org and the role of people whose tokens name none. Null: they are refused. */
  readonly defaultOrg: string | null;
  readonly defaultRole: Role | null;
  /** Roles by the provider's names of roles or groups, in addition to names that equal Assay's. */
  readonly roles: ReadonlyMap<string, Role>;
}

/** How this installation signs people in at the provider by itself. */
export interface ClientSettings {
  readonly id: string;
  /** Null for a public client, which proves itself by PKCE only. */
  readonly secret: string | null;
  readonly scopes: string;
}

/** The provider whose session tokens are accepted. */
export interface ProviderSettings {
  readonly kind: "clerk" | "oidc";
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly claims: ClaimSettings;
  /** Null: something in front of this installation signs people in. */
  readonly client: ClientSettings | null;
  /** Verifies `POST /v1/webhooks/clerk`; null when no delivery is accepted. */
  readonly webhookSecret: string | null;
  /** The address to which seat caps are pushed; null when they are not pushed. */
  readonly api: { readonly url: string; readonly key: string } | null;
}

export type IdentitySettings = { readonly kind: "local" } | ProviderSettings;

const CLERK_API_URL = "https://api.clerk.com/v1";

export const IDENTITY_SETTINGS = [
  { name: "ASSAY_IDENTITY", default: "local", meaning: "who signs sessions: local, clerk or oidc" },
  { name: "ASSAY_IDENTITY_ISSUER", default: "none", meaning: "`iss` of the provider's session tokens" },
  {
    name: "ASSAY_IDENTITY_AUDIENCE",
    default: "none",
    meaning: "value that `aud` of these tokens must contain",
  },
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
  {
    name: "ASSAY_IDENTITY_CLIENT_ID",
    default: "none: no sign-in page of its own",
    meaning: "oidc: client id at the provider, to sign people in with a code (PKCE)",
  },
  {
    name: "ASSAY_IDENTITY_CLIENT_SECRET",
    default: "none: a public client",
    meaning: "client secret at the provider",
    isSecret: true,
  },
  {
    name: "ASSAY_IDENTITY_SCOPES",
    default: "openid email profile",
    meaning:
      "scopes that the sign-in requests; add offline_access if the provider needs it for refresh tokens",
  },
  {
    name: "ASSAY_IDENTITY_CLAIM_EMAIL",
    default: "email",
    meaning: "claim with the email: its name, or a path such as user.mail",
  },
  { name: "ASSAY_IDENTITY_CLAIM_NAME", default: "name", meaning: "claim with the person's name" },
  { name: "ASSAY_IDENTITY_CLAIM_ORG", default: "org_id", meaning: "claim with the organization's id" },
  {
    name: "ASSAY_IDENTITY_CLAIM_ROLE",
    default: "org_role",
    meaning: "claim with the role, or with a list of roles or groups: the strongest counts",
  },
  {
    name: "ASSAY_IDENTITY_ROLES",
    default: "none",
    meaning:
      "comma-separated name=role: what the provider's roles or groups mean, such as assay-admins=admin",
  },
  {
    name: "ASSAY_IDENTITY_DEFAULT_ORG",
    default: "none: refused",
    meaning: "organization of people whose token has none",
  },
  {
    name: "ASSAY_IDENTITY_DEFAULT_ROLE",
    default: "none: refused",
    meaning: "first role of people whose token has none; admins can then change it in Assay",
  },
  {
    name: "ASSAY_IDENTITY_API_URL",
    default: CLERK_API_URL,
    meaning: "http(s):// address of the provider's API (Clerk's API)",
  },
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
  const client = parseClient(kind, read);
  // The sign-in asks the issuer for the provider's addresses.
  if (client !== null) parseUrl("ASSAY_IDENTITY_ISSUER", issuer, ["http:", "https:"]);
  const audience =
    read("ASSAY_IDENTITY_AUDIENCE") ?? client?.id ?? required("ASSAY_IDENTITY_AUDIENCE", why, read);
  const keysOfIssuer = kind === "clerk" && read("ASSAY_IDENTITY_JWKS_URL") === undefined;
  const jwksUrl = keysOfIssuer
    ? `${parseUrl("ASSAY_IDENTITY_ISSUER", issuer, ["http:", "https:"]).replace(/\/$/, "")}/.well-known/jwks.json`
    : required("ASSAY_IDENTITY_JWKS_URL", why, read);
  return {
    kind,
    issuer,
    audience,
    claims: parseClaims(read),
    client,
    jwksUrl: parseUrl("ASSAY_IDENTITY_JWKS_URL", jwksUrl, ["http:", "https:"]),
    webhookSecret: parseWebhookSecret(read("ASSAY_IDENTITY_WEBHOOK_SECRET")),
    api: parseApi(read),
  };
}

/** The claims where no setting names others. */
export const DEFAULT_CLAIMS: ClaimSettings = {
  email: "email",
  name: "name",
  org: "org_id",
  role: "org_role",
  defaultOrg: null,
  defaultRole: null,
  roles: new Map(),
};

function parseClaims(read: ReadSetting): ClaimSettings {
  const role = read("ASSAY_IDENTITY_DEFAULT_ROLE");
  return {
    email: read("ASSAY_IDENTITY_CLAIM_EMAIL") ?? DEFAULT_CLAIMS.email,
    name: read("ASSAY_IDENTITY_CLAIM_NAME") ?? DEFAULT_CLAIMS.name,
    org: read("ASSAY_IDENTITY_CLAIM_ORG") ?? DEFAULT_CLAIMS.org,
    role: read("ASSAY_IDENTITY_CLAIM_ROLE") ?? DEFAULT_CLAIMS.role,
    defaultOrg: read("ASSAY_IDENTITY_DEFAULT_ORG") ?? null,
    defaultRole: role === undefined ? null : parseChoice("ASSAY_IDENTITY_DEFAULT_ROLE", role, ROLES),
    roles: parseRoles(read("ASSAY_IDENTITY_ROLES")),
  };
}

function parseRoles(text: string | undefined): ReadonlyMap<string, Role> {
  if (text === undefined) return new Map();
  return new Map(
    text.split(",").map((pair) => {
      const at = pair.lastIndexOf("=");
      const [name, role] = [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
      if (name === "")
        throw new SettingsError(
          `ASSAY_IDENTITY_ROLES must be name=role pairs separated by commas, such as assay-admins=admin, not "${text}".`,
        );
      return [name, parseChoice("ASSAY_IDENTITY_ROLES", role, ROLES)] as const;
    }),
  );
}

function parseClient(kind: ProviderSettings["kind"], read: ReadSetting): ClientSettings | null {
  const id = read("ASSAY_IDENTITY_CLIENT_ID");
  if (id === undefined) {
    for (const name of ["ASSAY_IDENTITY_CLIENT_SECRET", "ASSAY_IDENTITY_SCOPES"])
      if (read(name) !== undefined) required("ASSAY_IDENTITY_CLIENT_ID", name, read);
    return null;
  }
  if (kind === "clerk")
    throw new SettingsError(
      "ASSAY_IDENTITY_CLIENT_ID needs ASSAY_IDENTITY=oidc: Clerk signs people in itself.",
    );
  return {
    id,
    secret: read("ASSAY_IDENTITY_CLIENT_SECRET") ?? null,
    scopes: parseScopes(read("ASSAY_IDENTITY_SCOPES") ?? "openid email profile"),
  };
}

function parseScopes(text: string): string {
  if (text.split(" ").includes("openid")) return text;
  throw new SettingsError(
    `ASSAY_IDENTITY_SCOPES must be scopes separated by spaces, openid among them, not "${text}".`,
  );
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
