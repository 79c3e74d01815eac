import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const LIMIT_MS = 15 * 60_000;

let ahead = 0;
let api: TestService;
let colleague: string;
let channel: string;

beforeAll(async () => {
  api = await openTestService({}, { now: () => Date.now() + ahead });
  const token = await api.token({ email: "ann@team.org", role: "member" });
  const hook = { name: "hook", kind: "webhook", url: "https://8.8.8.8/hook" };
  channel = (await api.call<{ id: string }>("POST", "/v1/alert-channels", { body: hook })).body.id;
  colleague = (await api.call<{ user_id: string }>("GET", "/v1/whoami", { token })).body.user_id;
});
beforeEach(() => {
  ahead = 0;
});
afterAll(() => api.stop());

interface Asked {
  readonly method: string;
  readonly path: string | (() => string);
  readonly body?: object;
}

/** What a session of a given age gets: the status, or the kind of the problem. */
async function ask({ method, path, body }: Asked, ageMs: number): Promise<number | string> {
  ahead = 0;
  const token = await api.token();
  ahead = ageMs;
  const address = typeof path === "string" ? path : path();
  const answer = await api.call<WireProblem>(method, address, {
    token,
    ...(body !== undefined && { body }),
  });
  return answer.status < 300 ? answer.status : slugOf(answer.body);
}

const memberPath = () => `/v1/members/${colleague}`;

describe("a sign-in of the last 15 minutes is needed", () => {
  test.each<Asked & { name: string; status: number }>([
    { name: "to make a key", method: "POST", path: "/v1/keys", body: { scope: "secret" }, status: 201 },
    { name: "to reveal a key", method: "GET", path: "/v1/keys/secret/reveal", status: 200 },
    { name: "to make a webhook secret", method: "POST", path: "/v1/webhook-secrets", status: 201 },
    {
      ...{ name: "to make an alert channel", method: "POST", path: "/v1/alert-channels", status: 201 },
      body: { name: "on call", kind: "webhook", url: "https://8.8.8.8/hook" },
    },
    {
      name: "to replace its secret",
      ...{ method: "POST", path: () => `/v1/alert-channels/${channel}/secret`, status: 201 },
    },
    {
      ...{ name: "to make a service token", method: "POST", path: "/v1/service-tokens", status: 201 },
      body: { name: "pipeline", role: "member", expires_in_days: 1 },
    },
    { name: "to make the SCIM token", method: "POST", path: "/v1/scim-token", status: 201 },
    { name: "to export a user", method: "GET", path: "/v1/users/ann/events", status: 200 },
    { name: "to erase a user", method: "DELETE", path: "/v1/users/ann", status: 202 },
    {
      ...{ name: "to invite an admin", method: "POST", path: "/v1/invitations", status: 201 },
      body: { email: "newer@team.org", role: "admin" },
    },
    {
      ...{ name: "to invite an owner", method: "POST", path: "/v1/invitations", status: 201 },
      body: { email: "new@team.org", role: "owner" },
    },
    {
      ...{ name: "to make a sign-in link for an owner", method: "POST", path: "/v1/invitations" },
      ...{ body: { email: "owner@assay.local" }, status: 201 },
    },
    { name: "to make an admin", method: "PUT", path: memberPath, body: { role: "admin" }, status: 200 },
    { name: "to make an owner", method: "PUT", path: memberPath, body: { role: "owner" }, status: 200 },
  ])("$name", async ({ status, name: _name, ...asked }) => {
    // The times of a token are in whole seconds.
    expect(await ask(asked, LIMIT_MS + 2_000)).toBe("recent-sign-in-required");
    expect(await ask(asked, LIMIT_MS - 2_000)).toBe(status);
  });

  test("and the refusal says what to do", async () => {
    const token = await api.token();
    ahead = LIMIT_MS + 2_000;
    const { body } = await api.call<WireProblem>("GET", "/v1/keys/secret/reveal", { token });
    expect(body.detail).toContain("open a new sign-in link");
  });
});

test.each<Asked & { name: string; status: number }>([
  { name: "listing keys", method: "GET", path: "/v1/keys", status: 200 },
  {
    ...{ name: "inviting a member", method: "POST", path: "/v1/invitations", status: 201 },
    body: { email: "mia@team.org" },
  },
  { name: "revoking the SCIM token", method: "DELETE", path: "/v1/scim-token", status: 204 },
  { name: "taking rights away", method: "PUT", path: memberPath, body: { role: "member" }, status: 200 },
])("$name needs none", async ({ status, name: _name, ...asked }) => {
  expect(await ask(asked, LIMIT_MS + 2_000)).toBe(status);
});

test("renewing the session's cookie makes no sign-in recent", async () => {
  const token = await api.token();
  ahead = 61 * 60_000;
  const answer = await fetch(`${api.service.url}/v1/whoami`, { headers: { cookie: `__session=${token}` } });
  const [renewed = ""] = answer.headers.getSetCookie();
  const cookie = renewed.split(";")[0] ?? "";
  const reveal = await fetch(`${api.service.url}/v1/keys/secret/reveal`, { headers: { cookie } });
  expect([cookie.startsWith("__session=ey"), reveal.status]).toEqual([true, 403]);
});
