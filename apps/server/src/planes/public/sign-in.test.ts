import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider } from "../../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const HOUR_MS = 3_600_000;
const time = { now: Date.parse("2026-03-01T12:00:00Z") };
let api: TestService;
beforeAll(async () => {
  api = await openTestService({}, { now: () => time.now });
});
afterAll(() => api.stop());

type Headers = Readonly<Record<string, string>>;
const send = (method: string, path: string, headers: Headers = {}, body?: unknown) =>
  fetch(`${api.service.url}${path}`, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const own = () => ({ origin: api.service.url });
const secureOwn = () => ({ origin: api.service.url.replace("http:", "https:") });
const cookieOf = (response: Response) => (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
const tokenOf = (cookie: string) => cookie.replace("__session=", "");
const whoami = (headers: Headers) => send("GET", "/v1/whoami", headers);

/** A session's cookie of someone new, as a sign-in makes it. */
async function newCookie(email: string): Promise<string> {
  return `__session=${await api.token({ email, role: "member" })}`;
}

describe("signing in", () => {
  test("answers a cookie that scripts and other sites cannot use", async () => {
    await api.restart();
    const ticket = api.service.signInUrl.split("#ticket=")[1];
    const response = await send("POST", "/auth/sign-in", own(), { ticket });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toMatch(
      /^__session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect(await (await whoami({ cookie: cookieOf(response) })).json()).toMatchObject({ role: "owner" });
  });

  test("the link that a start prints has the address under which people reach the service", async () => {
    const publicUrl = "https://assay.example.org";
    const other = await openTestService({ publicUrl });
    try {
      expect(other.service.signInUrl).toMatch(/^https:\/\/assay\.example\.org\/sign-in#ticket=./);
    } finally {
      await other.stop();
    }
  });

  test("over TLS the cookie stays on TLS", async () => {
    await api.restart();
    const ticket = api.service.signInUrl.split("#ticket=")[1];
    const response = await send("POST", "/auth/sign-in", secureOwn(), { ticket });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure$/,
      ),
    ]);
  });

  test("over TLS an earlier version's cookie is renewed under the name that no other host can set", async () => {
    const cookie = await newCookie("former@x.org");
    time.now += HOUR_MS;
    const renewed = await whoami({ cookie, ...secureOwn() });
    expect(renewed.status).toBe(200);
    expect(renewed.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-session=/),
      "__session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    ]);
    const both = `__session=nonsense; ${renewed.headers.getSetCookie()[0]?.split(";")[0]}`;
    expect((await whoami({ cookie: both })).status).toBe(200);
  });

  test.each([
    {
      name: "another origin",
      headers: (): Headers => ({ origin: "https://evil.example" }),
      body: { ticket: "x" },
      answer: [403, "foreign-origin"],
    },
    {
      name: "no origin",
      headers: (): Headers => ({}),
      body: { ticket: "x" },
      answer: [403, "foreign-origin"],
    },
    { name: "an unknown ticket", headers: own, body: { ticket: "x" }, answer: [401, "invalid-credential"] },
    { name: "a ticket that is no text", headers: own, body: { ticket: 7 }, answer: [400, "invalid-body"] },
    { name: "no ticket", headers: own, body: {}, answer: [400, "invalid-body"] },
  ])("with $name is refused", async ({ headers, body, answer }) => {
    const response = await send("POST", "/auth/sign-in", headers(), body);
    expect([response.status, slugOf((await response.json()) as WireProblem)]).toEqual(answer);
  });
});

describe("a session that is used", () => {
  test("gets a fresh cookie once its token is an hour old, and stays the same session", async () => {
    const cookie = await newCookie("fresh@x.org");
    expect((await whoami({ cookie })).headers.get("set-cookie")).toBeNull();
    time.now += HOUR_MS;
    const renewed = await whoami({ cookie });
    expect(renewed.headers.get("set-cookie")).toMatch(
      /^__session=.+HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const [before, after] = [decodeJwt(tokenOf(cookie)), decodeJwt(tokenOf(cookieOf(renewed)))];
    expect(after).toEqual({
      ...before,
      iat: time.now / 1000,
      exp: (time.now + 12 * HOUR_MS) / 1000,
    });
    expect((await whoami({ cookie: cookieOf(renewed) })).headers.get("set-cookie")).toBeNull();
  });

  test("as a bearer token gets none", async () => {
    const token = await api.token({ email: "bearer@x.org" });
    time.now += 2 * HOUR_MS;
    const response = await whoami({ authorization: `Bearer ${token}` });
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
  });

  test("keeps its cookie on TLS where the browser shows that the page is", async () => {
    const cookie = await newCookie("tls@x.org");
    time.now += HOUR_MS;
    const secure = { cookie, "sec-fetch-site": "same-origin" };
    // A test cannot set another host with fetch, so the page's origin replaces the browser's header.
    expect((await whoami({ ...secure, ...secureOwn() })).headers.getSetCookie()[0]).toMatch(/; Secure$/);
    expect((await whoami(secure)).headers.get("set-cookie")).not.toMatch(/Secure/);
    const { headers } = await api.service.app.inject({
      url: "/v1/whoami",
      headers: { ...secure, host: "assay.example.org" },
    });
    expect(headers["set-cookie"]?.[0]).toMatch(/; Secure$/);
  });

  test("ends 30 days after the sign-in", async () => {
    let cookie = await newCookie("long@x.org");
    const end = time.now + 30 * 24 * HOUR_MS;
    while (time.now + 11 * HOUR_MS < end) {
      time.now += 11 * HOUR_MS;
      const response = await whoami({ cookie });
      expect(response.status).toBe(200);
      cookie = cookieOf(response);
    }
    time.now = end;
    expect((await whoami({ cookie })).status).toBe(401);
  });
});

describe("signing out", () => {
  test("makes every token of the session worth nothing, and takes the cookie back", async () => {
    const cookie = await newCookie("out@x.org");
    time.now += HOUR_MS;
    const renewed = cookieOf(await whoami({ cookie }));
    const other = await newCookie("out@x.org");
    const response = await send("POST", "/auth/sign-out", { cookie, ...own() });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toBe(
      "__session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    );
    const copies: Headers[] = [
      { cookie },
      { cookie: renewed },
      { authorization: `Bearer ${tokenOf(cookie)}` },
    ];
    for (const headers of copies) expect((await whoami(headers)).status).toBe(401);
    expect((await whoami({ cookie: other })).status).toBe(200);
  });

  test("works with a bearer token, from anywhere", async () => {
    const authorization = `Bearer ${await api.token({ email: "script@x.org" })}`;
    expect((await whoami({ authorization })).status).toBe(200);
    expect((await send("POST", "/auth/sign-out", { authorization })).status).toBe(204);
    expect((await whoami({ authorization })).status).toBe(401);
  });

  test("by another site changes nothing", async () => {
    const cookie = await newCookie("stay@x.org");
    const response = await send("POST", "/auth/sign-out", { cookie, origin: "https://evil.example" });
    expect(response.status).toBe(403);
    expect((await whoami({ cookie })).status).toBe(200);
  });

  test.each([{ name: "no session" }, { name: "an invalid session", cookie: "__session=nonsense" }])(
    "of $name is fine",
    async ({ cookie }) => {
      const headers: Headers = cookie === undefined ? own() : { cookie, ...own() };
      expect((await send("POST", "/auth/sign-out", headers)).status).toBe(204);
    },
  );

  test("outlives a restart", async () => {
    const cookie = await newCookie("restart@x.org");
    await send("POST", "/auth/sign-out", { cookie, ...own() });
    await api.restart();
    expect((await whoami({ cookie })).status).toBe(401);
  });
});

describe("what the sign-in page asks first", () => {
  test("tells that this installation signs sessions itself", async () => {
    expect(await (await send("GET", "/auth/identity")).json()).toEqual({
      ...{ kind: "local", issuer: null, sign_in: null },
    });
  });

  test("tells whose sessions are taken, and there is nothing to sign in to here", async () => {
    const provider = await startIdentityProvider();
    const other = await openTestService({ identity: provider.settings });
    try {
      const { issuer } = provider.settings;
      const { url } = other.service;
      expect(other.service.signInUrl).toBe(url);
      expect(await (await fetch(`${url}/auth/identity`)).json()).toEqual({
        ...{ kind: "oidc", issuer, sign_in: null, roles: "provider" },
      });
      const response = await fetch(`${url}/auth/sign-in`, { method: "POST", headers: { origin: url } });
      const problem = (await response.json()) as WireProblem & { detail: string };
      expect([response.status, slugOf(problem)]).toEqual([409, "members-elsewhere"]);
      expect(problem.detail).toContain(issuer);
    } finally {
      await other.stop();
      await provider.stop();
    }
  });

  test("signing out of a provider's session ends that token, and no other", async () => {
    const provider = await startIdentityProvider();
    const other = await openTestService({ identity: provider.settings });
    try {
      const { url } = other.service;
      const [token, fresh] = [provider.token(), provider.token({ jti: "another" })];
      const status = async (held: string) => (await other.call("GET", "/v1/whoami", { token: held })).status;
      expect([await status(token), await status(fresh)]).toEqual([200, 200]);
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${url}/auth/sign-out`, { method: "POST", headers })).status).toBe(204);
      expect([await status(token), await status(fresh)]).toEqual([401, 200]);
    } finally {
      await other.stop();
      await provider.stop();
    }
  });
});
