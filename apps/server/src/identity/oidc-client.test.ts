import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
import { oidcClient } from "./oidc-client.ts";

const clock = { now: () => Date.now() };
const client = { id: "assay-web", secret: "secret", scopes: "openid" };

let keys: TestIdentityProvider;
let server: Server;
let issuer: string;
/** The person whose ID token a refresh gives. */
let subject: string;

beforeEach(async () => {
  keys = await startIdentityProvider();
  server = createServer((request, response) => {
    const claims = { iss: issuer, aud: client.id, sub: subject };
    const answers: Readonly<Record<string, object>> = {
      "/.well-known/openid-configuration": {
        issuer,
        token_endpoint: `${issuer}/token`,
        jwks_uri: keys.settings.jwksUrl,
      },
      "/token": { access_token: "a", token_type: "Bearer", id_token: keys.token(claims) },
    };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.close();
  await keys.stop();
});

test("a refresh that the provider answers for another person ends the grant", async () => {
  const oidc = oidcClient(issuer, client, clock);
  subject = "ann";
  expect(await oidc.refresh("of ann", "ann")).toMatchObject({
    claims: { sub: "ann" },
    refreshToken: "of ann",
  });
  subject = "bob";
  expect(await oidc.refresh("of ann", "ann")).toBeNull();
});
