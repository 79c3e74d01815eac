import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

interface WhoAmI {
  readonly org_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly platform_owner: boolean;
}

describe("sessions", () => {
  test("a first token provisions user, org and membership; a second finds them", async () => {
    const token = await api.token({ email: "new@x.org", role: "member", org: "fresh" });
    const first = await api.call<WhoAmI>("GET", "/v1/whoami", { token });
    const second = await api.call<WhoAmI>("GET", "/v1/whoami", { token });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ role: "member", platform_owner: false });
    expect(second.body).toEqual(first.body);
  });

  test("the local owner is the platform owner", async () => {
    expect((await api.call<WhoAmI>("GET", "/v1/whoami")).body).toMatchObject({
      org_name: "My organization",
      role: "owner",
      platform_owner: true,
    });
  });

  test.each([
    { name: "no credential", headers: { authorization: "" } },
    { name: "another scheme", headers: { authorization: "Basic eDp5" } },
    { name: "text that is no token", headers: { authorization: "Bearer nonsense" } },
    { name: "a cookie that is no token", headers: { authorization: "", cookie: "__session=nonsense" } },
  ])("$name answers 401", async ({ headers }) => {
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
    const response = await fetch(`${api.service.url}/v1/whoami`, { headers: sent });
    expect(response.status).toBe(401);
    expect(slugOf((await response.json()) as WireProblem)).toBe("invalid-credential");
  });

  test("one kind of credential sent for another answers 401 and says so", async () => {
    const key = `svc_sk_${"a".repeat(43)}`;
    const asks = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(`${api.service.url}${path}`, { headers });
      return [response.status, ((await response.json()) as WireProblem).detail];
    };
    const refusal = [401, expect.stringMatching(/^This address takes no API key: /)];
    expect(await asks("/v1/whoami", { authorization: `Bearer ${key}` })).toEqual(refusal);
    expect(await asks("/v1/whoami", { "x-api-key": key })).toEqual(refusal);
    const token = `svc_st_${"a".repeat(43)}`;
    expect(await asks("/v1/config", { "x-api-key": token })).toEqual([
      401,
      "This is a service token: events and configs need an API key.",
    ]);
  });

  test("a token of another signer, or unsigned, answers 401", async () => {
    const claims = { email: "owner@assay.local", org_id: "local", org_role: "owner" };
    const forged = new SignJWT(claims)
      .setIssuer("https://assay.local")
      .setAudience("assay")
      .setSubject("local|owner@assay.local");
    const hmac = await forged
      .setIssuedAt()
      .setExpirationTime("1h")
      .setProtectedHeader({ alg: "HS256" })
      .sign(new Uint8Array(32));
    const [, payload] = hmac.split(".");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    for (const token of [hmac, none])
      expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
  });

  test("a cookie changes things from the dashboard's own origin only", async () => {
    const cookie = `__session=${await api.token()}`;
    const post = (origin?: string) =>
      fetch(`${api.service.url}/v1/keys`, {
        method: "POST",
        headers: { cookie, "content-type": "application/json", ...(origin ? { origin } : {}) },
        body: '{"scope":"publishable"}',
      });
    expect((await post("https://evil.example")).status).toBe(403);
    expect((await post()).status).toBe(403);
    expect((await post(api.service.url)).status).toBe(201);
    expect((await fetch(`${api.service.url}/v1/whoami`, { headers: { cookie } })).status).toBe(200);
  });
});

describe("the one-time ticket", () => {
  const signIn = (ticket: string) =>
    fetch(`${api.service.url}/auth/sign-in`, {
      method: "POST",
      headers: { origin: api.service.url, "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
  const ticketOf = (url: string) => url.split("#ticket=")[1] ?? "";

  test("opens one session and no second", async () => {
    const ticket = ticketOf(api.service.signInUrl);
    const first = await signIn(ticket);
    expect(first.status).toBe(204);
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    const me = await fetch(`${api.service.url}/v1/whoami`, {
      headers: { cookie: cookie.split(";")[0] ?? "" },
    });
    expect(await me.json()).toMatchObject({ role: "owner" });
    expect((await signIn(ticket)).status).toBe(401);
    expect(api.logged()).not.toContain(ticket);
  });

  test("an invitation signs in the one it names, with the role it names", async () => {
    const { status, body } = await api.call<{ url: string }>("POST", "/v1/invitations", {
      body: { email: "Ann@x.org", role: "admin" },
    });
    expect(status).toBe(201);
    const answer = await signIn(ticketOf(body.url));
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const me = await (await fetch(`${api.service.url}/v1/whoami`, { headers: { cookie } })).json();
    expect(me).toMatchObject({ role: "admin", email: "ann@x.org", platform_owner: false });
  });

  test("signing out ends the cookie", async () => {
    const answer = await fetch(`${api.service.url}/auth/sign-out`, {
      method: "POST",
      headers: { origin: api.service.url },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/__session=;.*Max-Age=0/);
  });
});

describe("keys", () => {
  test("are made, listed without the raw key, revealed, and die when rotated", async () => {
    const first = await api.newKey("secret");
    expect(first).toMatch(/^svc_sk_[\w-]{43}$/);
    const listed = await api.call<{ scope: string; revealable: boolean }[]>("GET", "/v1/keys");
    expect(listed.body.find(({ scope }) => scope === "secret")).toMatchObject({ revealable: true });
    expect(JSON.stringify(listed.body)).not.toContain(first);
    expect((await api.call<{ key: string }>("GET", "/v1/keys/secret/reveal")).body.key).toBe(first);
    expect((await api.call("GET", "/v1/config", { key: first })).status).toBe(200);
    const second = await api.newKey("secret");
    expect((await api.call("GET", "/v1/config", { key: first })).status).toBe(401);
    expect((await api.call("GET", "/v1/config", { key: second })).status).toBe(200);
    expect(api.logged()).not.toContain(second);
  });

  test("cannot be revealed when there is none", async () => {
    const token = await api.token({ email: "o@keyless.org", org: "keyless" });
    const { status, body } = await api.call<WireProblem>("GET", "/v1/keys/publishable/reveal", { token });
    expect([status, slugOf(body)]).toEqual([404, "key-not-revealable"]);
  });

  test("of a scope that there is not cannot be revealed", async () => {
    const { status, body } = await api.call<WireProblem>("GET", "/v1/keys/golden/reveal");
    expect([status, slugOf(body)]).toEqual([404, "key-not-revealable"]);
    expect(body.detail).toMatch(/^scope: .*publishable, secret/);
  });

  test("only admins create and reveal them, and every action is audited without the key", async () => {
    const token = await api.token({ email: "member@x.org", role: "member" });
    expect((await api.call("POST", "/v1/keys", { token, body: { scope: "secret" } })).status).toBe(403);
    expect((await api.call("GET", "/v1/keys/secret/reveal", { token })).status).toBe(403);
    const audit = await api.call<{ items: { action: string }[] }>("GET", "/v1/audit?target_id=secret");
    expect(audit.body.items.map(({ action }) => action)).toEqual(["key.rotate", "key.reveal", "key.rotate"]);
    expect(JSON.stringify(audit.body)).not.toContain("svc_sk_");
  });
});

describe("the audit trail", () => {
  test("is paged, newest first", async () => {
    const first = await api.call<{ items: { id: string }[]; next_cursor: string }>(
      "GET",
      "/v1/audit?limit=2",
    );
    expect(first.body.items).toHaveLength(2);
    const second = await api.call<{ items: { id: string }[] }>(
      "GET",
      `/v1/audit?limit=2&cursor=${first.body.next_cursor}`,
    );
    expect(second.body.items.map(({ id }) => id)).not.toContain(first.body.items[1]?.id);
  });

  test.each(["limit=0", "limit=201", "limit=many", "cursor=%00", "colour=red"])(
    "?%s is refused",
    async (query) => {
      const { status, body } = await api.call<WireProblem>("GET", `/v1/audit?${query}`);
      expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
    },
  );
});

describe("what needs no credential", () => {
  test.each([
    "/healthz",
    "/readyz",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/docs/assets/swagger-ui-bundle.js",
    "/",
  ])("%s answers", async (path) => {
    const response = await fetch(api.service.url + path);
    expect((await response.text()).length).toBeGreaterThan(0);
    expect(response.status).toBe(200);
  });

  test("the files behind the documents stay inside their folder", async () => {
    for (const path of [
      "/docs/assets/../package.json",
      "/docs/assets/%2e%2e/package.json",
      "/docs/assets/package.json",
    ]) {
      expect((await fetch(api.service.url + path)).status).toBe(404);
    }
  });
});
