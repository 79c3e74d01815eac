import { afterAll, beforeAll, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
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
