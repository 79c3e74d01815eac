import { afterAll, beforeAll, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Status {
  readonly configured: boolean;
  readonly created_at: string | null;
}
interface Secret {
  readonly secret: string;
  readonly created_at: string;
}

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const path = "/v1/webhook-secrets";

test("an org starts without a secret, and each has its own", async () => {
  const token = await api.token({ email: "o@elsewhere.org", org: "elsewhere" });
  expect((await api.call<Status>("GET", path)).body).toEqual({ configured: false, created_at: null });
  await api.call("POST", path);
  expect((await api.call<Status>("GET", path)).body.configured).toBe(true);
  expect((await api.call<Status>("GET", path, { token })).body.configured).toBe(false);
});

test.each(["admin", "owner"] as const)("an %s makes a new one, shown once and never again", async (role) => {
  const token = await api.token({ email: `${role}@x.org`, role });
  const { status, headers, body } = await api.call<Secret>("POST", path, { token });
  expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
  expect(body).toEqual({
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    created_at: expect.any(String),
  });
  const told = await api.call<Status>("GET", path);
  expect([told.status, told.body]).toEqual([200, { configured: true, created_at: body.created_at }]);
  expect((await api.call<Secret>("POST", path, { token })).body.secret).not.toBe(body.secret);
  const audit = await api.call<{ items: readonly { action: string; actor: { email: string } }[] }>(
    "GET",
    "/v1/audit",
  );
  expect(audit.body.items[0]).toMatchObject({
    action: "webhook-secret.rotate",
    actor: { email: `${role}@x.org` },
  });
  expect(JSON.stringify(audit.body) + api.logged()).not.toContain(body.secret);
});

test("a member sees whether there is one, and makes none", async () => {
  const token = await api.token({ email: "m@x.org", role: "member" });
  expect((await api.call("GET", path, { token })).status).toBe(200);
  const { status, body } = await api.call<WireProblem>("POST", path, { token });
  expect([status, slugOf(body)]).toEqual([403, "role-required"]);
});

test.each(["GET", "POST"])("%s needs a session: a key or a stranger gets 401", async (method) => {
  const key = await api.newKey("secret");
  expect((await api.call(method, path, { key })).status).toBe(401);
  expect((await fetch(api.service.url + path, { method })).status).toBe(401);
});
