import { createHash, randomUUID } from "node:crypto";
import { connect } from "node:net";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeSigningKey, sessionTokens } from "../../apps/server/src/identity/session-tokens.ts";
import { type Browser, openBrowser } from "../../apps/server/src/test-support/browser.ts";
import {
  type OpenIdProvider,
  startOpenIdProvider,
} from "../../apps/server/src/test-support/openid-provider.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";

/** Attacks on sign-in, sessions, cookies and links, each against a running service and a certified OpenID provider. */
let provider: OpenIdProvider;
let api: TestService;
let local: TestService;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  api = await openTestService({ identity: provider.settings, platformOwnerEmails: ["boss@x.org"] });
  local = await openTestService({ allowedHosts: ["assay.example.org"] });
});
afterAll(async () => {
  await api.stop();
  await local.stop();
  await provider.stop();
});

const at = (path: string) => `${api.service.url}${path}`;
const jarOf = (browser: Browser) => browser.cookies.get(api.service.url) ?? new Map<string, string>();
const statusOf = async (token: string) => (await api.call("GET", "/v1/whoami", { token })).status;

/** Goes to the provider and stops before the way back. */
async function flowOf(id: string, start = "/auth/start") {
  provider.signIn(id, { org_id: `org_${id}` });
  const browser = openBrowser();
  let next = at(start);
  while (!next.startsWith(at("/auth/callback"))) {
    const response = await browser.fetch(next);
    next = new URL(response.headers.get("location") ?? "", next).href;
  }
  return { browser, callback: new URL(next) };
}

async function sessionOf(id: string): Promise<string> {
  const { browser, callback } = await flowOf(id);
  await browser.fetch(callback.href);
  return jarOf(browser).get("__session") ?? "";
}

/** Comes back from the provider; where that leads, and whether it gave a session. */
async function comeBack(browser: Browser, callback: URL | string) {
  const response = await browser.fetch(String(callback));
  return { to: response.headers.get("location"), hasSession: jarOf(browser).has("__session") };
}

describe("the way back from the provider", () => {
  test("gives a session to the browser that started it", async () => {
    const { browser, callback } = await flowOf("ann");
    expect(await comeBack(browser, callback)).toEqual({ to: "/", hasSession: true });
  });

  test("does not work in another browser: a victim is not signed in as the attacker", async () => {
    const { callback } = await flowOf("mallory");
    const { to, hasSession } = await comeBack(openBrowser(), callback);
    expect([to, hasSession]).toEqual(["/sign-in?error=sign-in-expired", false]);
  });

  test("does not accept the code of one flow with the cookie of another", async () => {
    const [mine, theirs] = [await flowOf("ann"), await flowOf("mallory")];
    const { to, hasSession } = await comeBack(mine.browser, theirs.callback);
    expect([to, hasSession]).toEqual(["/sign-in?error=invalid-credential", false]);
  });

  test("does not accept a stolen code with the victim's own state: PKCE and nonce belong to another flow", async () => {
    const [mine, theirs] = [await flowOf("mallory"), await flowOf("ann")];
    const mixed = new URL(mine.callback);
    mixed.searchParams.set("code", theirs.callback.searchParams.get("code") ?? "");
    const { to, hasSession } = await comeBack(mine.browser, mixed);
    expect([to, hasSession]).toEqual(["/sign-in?error=invalid-credential", false]);
  });

  test.each([
    { name: "without a state", change: (url: URL) => url.searchParams.delete("state") },
    { name: "with another state", change: (url: URL) => url.searchParams.set("state", "guessed") },
    { name: "with two states", change: (url: URL) => url.searchParams.append("state", "guessed") },
    { name: "without a code", change: (url: URL) => url.searchParams.delete("code") },
    { name: "with a made-up code", change: (url: URL) => url.searchParams.set("code", randomUUID()) },
    { name: "with two codes", change: (url: URL) => url.searchParams.append("code", "guessed") },
    {
      name: "from another issuer",
      change: (url: URL) => url.searchParams.set("iss", "https://evil.example"),
    },
    {
      name: "with an ID token in the address",
      change: (url: URL) => url.searchParams.set("id_token", "x.y.z"),
    },
    { name: "with a refusal", change: (url: URL) => url.searchParams.set("error", "access_denied") },
  ])("$name is refused", async ({ change }) => {
    const { browser, callback } = await flowOf("ann");
    change(callback);
    const { to, hasSession } = await comeBack(browser, callback);
    expect([to, hasSession]).toEqual(["/sign-in?error=invalid-credential", false]);
  });

  test("works once: the address and its code cannot be used again", async () => {
    const { browser, callback } = await flowOf("ann");
    const cookie = jarOf(browser).get("assay-sign-in") ?? "";
    await comeBack(browser, callback);
    jarOf(browser).clear();
    expect((await comeBack(browser, callback)).hasSession).toBe(false);
    jarOf(browser).set("assay-sign-in", cookie);
    expect((await comeBack(browser, callback)).hasSession).toBe(false);
  });

  test.each([
    { name: "altered", cookie: (real: string) => `${real.slice(0, -4)}AAAA` },
    {
      name: "in plain text",
      cookie: () => Buffer.from('{"state":"x","startedAt":9e15}').toString("base64url"),
    },
    { name: "empty", cookie: () => "" },
  ])("with an $name cookie is refused", async ({ cookie }) => {
    const { browser, callback } = await flowOf("ann");
    jarOf(browser).set("assay-sign-in", cookie(jarOf(browser).get("assay-sign-in") ?? ""));
    const { to, hasSession } = await comeBack(browser, callback);
    expect([to, hasSession]).toEqual(["/sign-in?error=sign-in-expired", false]);
  });

  test("is not used up by a HEAD request, which a link preview sends", async () => {
    const { browser, callback } = await flowOf("ann");
    expect((await browser.fetch(callback.href, { method: "HEAD" })).status).toBe(404);
    expect((await comeBack(browser, callback)).hasSession).toBe(true);
  });

  test("hides what it carries from the browser", async () => {
    const { browser, callback } = await flowOf("ann");
    const cookie = Buffer.from(jarOf(browser).get("assay-sign-in") ?? "", "base64url").toString("latin1");
    expect(cookie).not.toContain(callback.searchParams.get("state"));
    expect(cookie).not.toContain("verifier");
  });
});

test.each([
  "//evil.example",
  "///evil.example",
  "https://evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\u0000//evil.example",
  " //evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "evil.example",
  "/%0d%0aSet-Cookie:%20x=y\r\nSet-Cookie: x=y",
  `/${"x".repeat(2_000)}`,
])("return_to %j leads to no other site", async (target) => {
  const { browser, callback } = await flowOf("ann", `/auth/start?return_to=${encodeURIComponent(target)}`);
  expect((await comeBack(browser, callback)).to).toBe("/");
});

test("two return_to parameters do not lead to another site", async () => {
  const { browser, callback } = await flowOf("ann", "/auth/start?return_to=/keys&return_to=//evil.example");
  expect((await comeBack(browser, callback)).to).toBe("/");
});

describe("a forged session", () => {
  const subject = {
    ...{ externalUserId: "ann", email: "boss@x.org", isEmailVerified: true, name: "Ann" },
    ...{ externalOrgId: "org_ann", role: "owner" as const },
  };
  const clock = { now: () => Date.now() };

  test("signed with another key is refused", async () => {
    const rules = { audience: `assay ${provider.settings.issuer}`, vouchesForEmails: false };
    expect(await statusOf(await sessionTokens(makeSigningKey(), rules, clock).issue(subject))).toBe(401);
  });

  test("signed by this installation's own local identity is refused", async () => {
    expect(await statusOf(await api.token({ role: "owner", org: "org_ann" }))).toBe(401);
  });

  test("that names this installation's issuer without a signature is refused", async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: "https://assay.local", aud: `assay ${provider.settings.issuer}`, sub: "ann" };
    expect(await statusOf(`${part({ alg: "none" })}.${part(claims)}.`)).toBe(401);
  });

  test("signed with the client secret is refused", async () => {
    const secret = new TextEncoder().encode(provider.settings.client?.secret ?? "");
    const token = await new SignJWT({ org_id: "org_ann", org_role: "owner" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(provider.settings.issuer)
      .setAudience(provider.settings.audience)
      .setSubject("ann")
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(secret);
    expect(await statusOf(token)).toBe(401);
  });
});

describe("a real session", () => {
  test("does not outlive its sign-out, in a copy or in a renewed token", async () => {
    const token = await sessionOf("ann");
    expect(await statusOf(token)).toBe(200);
    const headers = { authorization: `Bearer ${token}` };
    await fetch(at("/auth/sign-out"), { method: "POST", headers });
    expect(await statusOf(token)).toBe(401);
  });

  test("of one person does not end another person's", async () => {
    const [ann, eve] = [await sessionOf("ann"), await sessionOf("eve")];
    const { body } = await api.call<{ items: { id: string }[] }>("GET", "/v1/sessions", { token: ann });
    for (const { id } of body.items) await api.call("DELETE", `/v1/sessions/${id}`, { token: eve });
    await api.call("DELETE", "/v1/sessions", { token: eve });
    expect([await statusOf(ann), await statusOf(eve)]).toEqual([200, 401]);
  });

  test("in a cookie changes nothing for another site", async () => {
    const token = await sessionOf("ann");
    for (const origin of [
      "https://evil.example",
      "null",
      `${api.service.url}.evil.example`,
      "http://127.0.0.1:1",
    ]) {
      const headers = { cookie: `__session=${token}`, origin };
      const answers = await Promise.all([
        fetch(at("/v1/sessions"), { method: "DELETE", headers }),
        fetch(at("/auth/sign-out"), { method: "POST", headers }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    }
    expect(await statusOf(token)).toBe(200);
  });

  test("cannot be fixed: a sign-in creates a new one and ends the previous one", async () => {
    const planted = await sessionOf("mallory");
    const { browser, callback } = await flowOf("ann");
    jarOf(browser).set("__session", planted);
    await comeBack(browser, callback);
    expect(jarOf(browser).get("__session")).not.toBe(planted);
    expect(await statusOf(planted)).toBe(401);
  });

  test("is not an API key, and does not open the platform routes", async () => {
    const token = await sessionOf("ann");
    expect((await api.call("GET", "/v1/config", { key: token })).status).toBe(401);
    expect((await api.call("GET", "/v1/admin/orgs", { token })).status).toBe(403);
  });

  test("with the platform owner's unverified email does not open the platform routes", async () => {
    provider.signIn("fake", { email: "boss@x.org", email_verified: false });
    const browser = openBrowser();
    await browser.open(at("/auth/start"));
    expect((await browser.fetch(at("/v1/admin/orgs"))).status).toBe(403);
  });

  test("is not in the database: neither it nor its refresh token can be read there", async () => {
    const token = await sessionOf("ann");
    const plane = api.openControl();
    const { body } = await api.call<{ items: { id: string }[] }>("GET", "/v1/sessions", { token });
    const stored = JSON.stringify(await plane.sessions.find(body.items[0]?.id ?? ""));
    await plane.close();
    expect(stored).not.toContain(token.split(".")[2]);
    expect(stored).toMatch(/"sealedRefreshToken":"v2\./);
    expect(api.logged()).not.toContain(token.split(".")[2]);
  });
});

describe("a sign-in link", () => {
  const post = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${local.service.url}/auth/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: local.service.url, ...headers },
      body: JSON.stringify(body),
    });
  const invite = async (email: string) => {
    const made = await local.call<{ url: string }>("POST", "/v1/invitations", { body: { email } });
    return made.body.url.split("#ticket=")[1] ?? "";
  };

  test("from an attacker does not silently replace the victim's session", async () => {
    const victim = await local.token({ email: "victim@x.org", role: "admin" });
    await local.call("GET", "/v1/whoami", { token: victim });
    const ticket = await invite("mallory@x.org");
    const cookie = `__session=${victim}`;
    const refused = await post({ ticket }, { cookie });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([409, []]);
    expect(await refused.text()).toMatch(/signed in as victim@x\.org, and this link signs in mallory@x\.org/);
    expect((await local.call("GET", "/v1/whoami", { token: victim })).status).toBe(200);
    expect((await post({ ticket, replace: true }, { cookie })).status).toBe(204);
    expect((await local.call("GET", "/v1/whoami", { token: victim })).status).toBe(401);
  });

  test("for the user who is signed in needs no confirmation, and works once", async () => {
    const mine = await local.token({ email: "ann@x.org", role: "admin" });
    await local.call("GET", "/v1/whoami", { token: mine });
    const ticket = await invite("ann@x.org");
    const cookie = `__session=${mine}`;
    expect((await post({ ticket }, { cookie })).status).toBe(204);
    expect((await post({ ticket }, { cookie })).status).toBe(401);
  });

  test("cannot be guessed from its hash", async () => {
    const ticket = await invite("ben@x.org");
    const hash = createHash("sha256").update(ticket).digest("hex");
    expect((await post({ ticket: hash })).status).toBe(401);
  });

  test("leads to the service's own address, whatever host the request claims", async () => {
    const fixed = await openTestService({ publicUrl: "https://assay.example.org" });
    try {
      const { body } = await fixed.service.app
        .inject({
          method: "POST",
          url: "/v1/invitations",
          headers: {
            authorization: `Bearer ${await fixed.token()}`,
            host: "evil.example",
            origin: "https://evil.example",
          },
          payload: { email: "ann@x.org" },
        })
        .then((answer) => ({ body: answer.json() as { url: string } }));
      expect(body.url).toMatch(/^https:\/\/assay\.example\.org\/sign-in#ticket=/);
    } finally {
      await fixed.stop();
    }
  });
});

describe("the host of a request", () => {
  const inject = (host: string, url = "/auth/identity") =>
    local.service.app.inject({ url, headers: { host } }).then(({ statusCode }) => statusCode);

  test.each(["evil.example", "assay.example.org.evil.example", "evil.example:8787", "169.254.169.254"])(
    "%j is refused",
    async (host) => expect(await inject(host)).toBe(400),
  );

  test("of the list, of this machine, and of a probe is accepted", async () => {
    expect([
      await inject("assay.example.org"),
      await inject("ASSAY.example.org:8443"),
      await inject("127.0.0.1:8787"),
      await inject("10.1.2.3", "/healthz"),
    ]).toEqual([200, 200, 200, 200]);
  });

  test("given twice is refused", async () => {
    const { hostname, port } = new URL(api.service.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      "GET /auth/identity HTTP/1.1",
      "Host: assay.example.org",
      "Host: evil.example",
      "Connection: close",
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n`);
    let answer = "";
    for await (const chunk of socket) answer += String(chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});
