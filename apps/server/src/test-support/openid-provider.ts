import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { DEFAULT_CLAIMS, type ProviderSettings } from "../settings/identity-settings.ts";
import { makeKey } from "./identity-provider.ts";

/** An account at the provider: its claims beside `sub`. */
type Account = Readonly<Record<string, unknown>>;

/** A certified OpenID provider on a port of this machine. It signs in every visitor at once, as the chosen account. */
export interface OpenIdProvider {
  /** For `openTestService({ identity })`. */
  readonly settings: ProviderSettings;
  /** Creates or changes an account, and signs it in from now on. */
  signIn(id: string, claims?: Account): void;
  disable(id: string): void;
  /** Whether it answers 500 to everything. */
  isBroken: boolean;
  stop(): Promise<void>;
}

const CLIENT = { id: "assay-web", secret: "client-secret-of-the-tests" };

/** Starts the provider. Without `refreshes`, it gives no refresh tokens. */
export async function startOpenIdProvider({ refreshes = true } = {}): Promise<OpenIdProvider> {
  const accounts = new Map<string, Account>();
  let current = "";
  let isBroken = false;
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = makeKey("RS256");
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        // For a native client, any port of this machine is accepted.
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/auth/callback"],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "client_secret_basic",
      },
    ],
    jwks: {
      keys: [
        { ...key.privateKey.export({ format: "jwk" }), kid: key.kid, alg: "RS256", use: "sig" } as never,
      ],
    },
    cookies: { keys: ["cookie-key-of-the-tests"] },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "org_id", "org_role", "groups"],
    },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    issueRefreshToken: async () => refreshes,
    findAccount: async (_context, id) => {
      const claims = accounts.get(id);
      return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
    },
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: CLIENT.id,
        accountId: context.oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  });
  const callback = provider.callback();
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isBroken) response.writeHead(500).end();
    else if (request.url?.startsWith("/interaction/"))
      await provider.interactionFinished(request, response, { login: { accountId: current }, consent: {} });
    else await callback(request, response);
  }
  return {
    settings: {
      kind: "oidc",
      issuer,
      audience: CLIENT.id,
      jwksUrl: `${issuer}/jwks`,
      claims: DEFAULT_CLAIMS,
      client: { ...CLIENT, scopes: "openid email profile" },
      webhookSecret: null,
      api: null,
    },
    signIn(id, claims = {}) {
      current = id;
      accounts.set(id, {
        ...{ email: `${id}@x.org`, email_verified: true, name: id, org_id: "org_one", org_role: "admin" },
        ...claims,
      });
    },
    disable: (id) => void accounts.delete(id),
    get isBroken() {
      return isBroken;
    },
    set isBroken(value) {
      isBroken = value;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
