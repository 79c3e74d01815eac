import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClerkApi, openClerkApi } from "../../test-support/clerk-api.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let clerk: ClerkApi;
let provider: TestIdentityProvider;
let api: TestService;
beforeAll(async () => {
  clerk = await openClerkApi(["org_one", "org_two"]);
  provider = await startIdentityProvider(undefined, "clerk");
  api = await openTestService({
    identity: { ...provider.settings, api: clerk.settings },
    platformOwnerEmails: ["root@x.org"],
    enforcePlanLimits: true,
  });
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
  await clerk.close();
});

interface Report {
  readonly provider: string;
  readonly pushed: number;
  readonly failed: readonly { readonly org_id: string; readonly detail: string }[];
}
const tokenOf = (org: string, email = "root@x.org") =>
  provider.token({ sub: `user_${email}`, email, email_verified: true, org_id: org, org_role: "owner" });
const orgId = async (org: string) =>
  (await api.call<{ org_id: string }>("GET", "/v1/whoami", { token: tokenOf(org) })).body.org_id;
const resync = (email?: string) =>
  api.call<Report & WireProblem>("POST", "/v1/admin/seats/resync", { token: tokenOf("org_one", email) });

test("a resync pushes every org's cap, reports failures, and may be repeated", async () => {
  const unknown = await orgId("org_unknown");
  for (const org of ["org_one", "org_two"]) await orgId(org);
  for (let time = 0; time < 2; time++) {
    const { status, body } = await resync();
    expect(status).toBe(200);
    expect(body).toEqual({
      provider: "clerk",
      pushed: 2,
      failed: [{ org_id: unknown, detail: "Clerk answered 404 (resource_not_found)." }],
    });
    expect(Object.fromEntries(clerk.caps)).toEqual({ org_one: 5, org_two: 5 });
  }
});

test("a pinned plan is pushed at once", async () => {
  const path = `/v1/admin/orgs/${await orgId("org_two")}/plan-override`;
  const pin = (plan: string | null) => api.call("PUT", path, { token: tokenOf("org_one"), body: { plan } });
  await pin("pro");
  await expect.poll(() => clerk.caps.get("org_two")).toBe(100);
  await pin("business");
  await expect.poll(() => clerk.caps.get("org_two")).toBe(0);
  await pin(null);
  await expect.poll(() => clerk.caps.get("org_two")).toBe(5);
});

test("all caps are pushed at the start, and daily: a downgrade that waited sends no event", async () => {
  for (const org of ["org_one", "org_two"]) await orgId(org);
  clerk.caps.set("org_two", 100);
  await api.restart();
  await expect.poll(() => clerk.caps.get("org_two")).toBe(5);
});

test("is the platform owner's only", async () => {
  const { status, body } = await resync("ann@x.org");
  expect([status, slugOf(body)]).toEqual([403, "platform-owner-required"]);
});

test("the API key is in no answer and in no log", async () => {
  clerk.fail({ status: 500 }, { status: 401 });
  const { body } = await resync();
  expect(body.failed.length).toBeGreaterThanOrEqual(2);
  expect(JSON.stringify(body) + api.logged()).not.toContain(clerk.settings.key);
});

test("the local identity has nobody to tell", async () => {
  const local = await openTestService();
  try {
    const { status, body } = await local.call<Report>("POST", "/v1/admin/seats/resync");
    expect([status, body]).toEqual([200, { provider: "local", pushed: 0, failed: [] }]);
  } finally {
    await local.stop();
  }
});
