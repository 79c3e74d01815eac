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
let more: object;

beforeEach(async () => {
  keys = await startIdentityProvider();
  server = createServer((request, response) => {
    const claims = { iss: issuer, aud: client.id, sub: subject, email: null };
    const answers: Readonly<Record<string, object>> = {
      "/.well-known/openid-configuration": {
        issuer,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: keys.settings.jwksUrl,
      },
      "/userinfo": { sub: subject, ...more },
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
  more = {};
  subject = "ann";
  expect(await oidc.refresh("of ann", "ann")).toMatchObject({
    claims: { sub: "ann" },
    refreshToken: "of ann",
  });
  subject = "bob";
  expect(await oidc.refresh("of ann", "ann")).toBeNull();
});

test("a claim that is null in the ID token is that of the userinfo endpoint", async () => {
  [subject, more] = ["ann", { email: "ann@example.org" }];
  const granted = await oidcClient(issuer, client, clock).refresh("of ann", "ann");
  expect(granted?.claims).toMatchObject({ sub: "ann", email: "ann@example.org" });
});
