import { afterAll, beforeAll, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
import { startOpenIdProvider } from "../test-support/openid-provider.ts";
import { probeIdentity } from "./probe-identity.ts";

let provider: TestIdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterAll(() => provider.stop());

test("sessions that are signed here, or whose keys can be had, are in order", async () => {
  expect(await probeIdentity({ kind: "local" })).toMatch(/^local/);
  expect(await probeIdentity(provider.settings)).toMatch(/^oidc: 3 public keys at http/);
});

test.each(["error", "no-json", "no-key-set"] as const)(
  "a provider that answers %s is reported with its setting",
  async (answer) => {
    provider.answerWith(answer);
    await expect(probeIdentity(provider.settings)).rejects.toThrow("ASSAY_IDENTITY_JWKS_URL");
  },
);

test("so is one that does not answer", async () => {
  const jwksUrl = "http://127.0.0.1:1/jwks";
  await expect(probeIdentity({ ...provider.settings, jwksUrl })).rejects.toThrow(/^nothing answers/);
});

test("where people sign in at the provider, its addresses must be found at exactly its issuer", async () => {
  const signIn = await startOpenIdProvider();
  const { settings } = signIn;
  const { issuer } = settings;
  try {
    expect(await probeIdentity(settings)).toMatch(/^oidc: /);
    await expect(probeIdentity({ ...settings, issuer: `${issuer}/` })).rejects.toThrow(
      `the provider's issuer is ${issuer}: set ASSAY_IDENTITY_ISSUER to exactly this.`,
    );
    await expect(probeIdentity({ ...settings, issuer: `${issuer}/realms/other` })).rejects.toThrow(
      /answers 404 without the provider's endpoints: set ASSAY_IDENTITY_ISSUER to the provider's issuer/,
    );
    await expect(probeIdentity({ ...settings, issuer: "http://127.0.0.1:1" })).rejects.toThrow(
      /^nothing answers at .*: check ASSAY_IDENTITY_ISSUER and the network/,
    );
  } finally {
    await signIn.stop();
  }
});
