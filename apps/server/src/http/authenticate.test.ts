import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../test-support/experiments.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";
import { tokenAttacks } from "../test-support/token-attacks.ts";

/** Node answers 431 to longer headers before any of ours sees them. */
const MAX_HEADER_CHARACTERS = 16_000;
let provider: TestIdentityProvider;
let api: TestService;
beforeAll(async () => {
  provider = await startIdentityProvider();
  api = await openTestService({ identity: provider.settings, platformOwnerEmails: ["boss@x.org"] });
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
});

interface WhoAmI {
  readonly org_id: string;
  readonly user_id: string;
  readonly role: string;
  readonly email: string;
  readonly name: string;
  readonly platform_owner: boolean;
}
const whoami = (token: string) => api.call<WhoAmI & WireProblem>("GET", "/v1/whoami", { token });

describe("with sessions of an identity provider", () => {
  test("a first token makes user, org and membership, also when it comes ten times at once", async () => {
    const token = provider.token({ sub: "user_new", org_id: "org_new" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => whoami(token)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(answers.map(({ body }) => `${body.org_id} ${body.user_id}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({
      role: "admin",
      email: "ann@x.org",
      name: "Ann",
      platform_owner: false,
    });
  });

  test("every forged or unfit token answers 401 and how to do better", async () => {
    const attacks = tokenAttacks({ claims: provider.claims, key: provider.key("RS256") });
    const wrong: unknown[] = [];
    for (const { name, token } of attacks) {
      const { status, headers, body } = await whoami(token);
      if (token.length > MAX_HEADER_CHARACTERS ? status === 431 : status === 401) {
        if (status === 431) continue;
        expect(slugOf(body)).toBe("invalid-credential");
        expect(headers.get("www-authenticate")).toBe('Bearer realm="assay"');
      } else wrong.push({ name, status });
    }
    expect(wrong).toEqual([]);
    expect(api.logged()).not.toMatch(/"level":(50|60)/);
  });

  test("a token of the local identity answers 401", async () => {
    expect((await whoami(await api.token())).status).toBe(401);
  });

  test("the provider's cookie is taken, and never replaced by one of ours", async () => {
    const cookie = `__session=${provider.token({ iat: Math.floor(Date.now() / 1000) - 7200 })}`;
    const response = await fetch(`${api.service.url}/v1/whoami`, { headers: { cookie } });
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null]);
  });

  test.each([
    { name: "by a verified email", claims: { email: "Boss@x.org", email_verified: true }, is: true },
    {
      name: "not by an email of which the provider does not say it",
      claims: { email: "boss@x.org" },
      is: false,
    },
    { name: "not by an unverified one", claims: { email: "boss@x.org", email_verified: false }, is: false },
    { name: "not by another", claims: { email: "ann@x.org" }, is: false },
  ])("the platform owner is known $name", async ({ name, claims, is }) => {
    const { body } = await whoami(provider.token({ ...claims, sub: `user ${name}` }));
    expect(body.platform_owner).toBe(is);
  });

  test.each([
    { name: "K", email: "kim\u212a@x.org", owner: "kimk@x.org" },
    { name: "dotted I", email: "\u0130an@x.org", owner: "ian@x.org" },
    { name: "dotless i", email: "\u0131an@x.org", owner: "ian@x.org" },
    { name: "dotless i in upper case", email: "\u0131AN@x.org", owner: "ian@x.org" },
  ])("a look-alike of a platform owner's email is nobody's: $name", async ({ name, email, owner }) => {
    const folded = await openTestService({ identity: provider.settings, platformOwnerEmails: [owner] });
    try {
      const token = (as: string) =>
        provider.token({ sub: `${name} ${as}`, org_id: undefined, email: as, email_verified: true });
      const status = async (as: string) =>
        (await folded.call("GET", "/v1/admin/overview", { token: token(as) })).status;
      expect([await status(email), await status(owner.toUpperCase())]).toEqual([403, 200]);
    } finally {
      await folded.stop();
    }
  });

  test("a platform owner without an org uses their routes, and the routes of no org", async () => {
    const claims = {
      sub: "boss",
      org_id: undefined,
      org_role: undefined,
      email: "boss@x.org",
      email_verified: true,
    };
    const token = provider.token(claims);
    const { body } = await api.call<{ items: { org_id: string }[] }>("GET", "/v1/admin/orgs", { token });
    const path = `/v1/admin/orgs/${body.items[0]?.org_id}/plan-override`;
    expect((await api.call("PUT", path, { token, body: { plan: "pro" } })).status).toBe(200);
    expect((await api.call("POST", "/v1/admin/dead-letters/replay", { token, body: {} })).status).toBe(200);
    expect((await api.call("GET", "/v1/experiments", { token })).status).toBe(401);
    expect((await api.call("GET", "/v1/admin/orgs", { token: provider.token(claims) })).status).toBe(200);
  });

  test("a plan without a seat left answers 403", async () => {
    const enforced = await openTestService({
      identity: provider.settings,
      enforcePlanLimits: true,
      platformOwnerEmails: ["boss@x.org"],
    });
    try {
      const visit = (i: number) =>
        enforced.call<WireProblem>("GET", "/v1/whoami", { token: provider.token({ sub: `user_${i}` }) });
      for (let i = 0; i < 5; i += 1) expect((await visit(i)).status).toBe(200);
      const { status, body } = await visit(5);
      expect([status, slugOf(body)]).toEqual([403, "seat-required"]);
      expect((await visit(0)).status).toBe(200);
      const boss = provider.token({ sub: "boss", email: "boss@x.org", email_verified: true });
      for (const path of ["/v1/whoami", "/v1/admin/orgs", "/v1/members"])
        expect((await enforced.call("GET", path, { token: boss })).status).toBe(200);
    } finally {
      await enforced.stop();
    }
  });
});

test("a provider that is down leads to 503 with Retry-After and a log line, and people can sign in again afterwards", async () => {
  const broken = await startIdentityProvider();
  broken.answerWith("error");
  const other = await openTestService({ identity: broken.settings });
  try {
    const visit = () => other.call<WireProblem>("GET", "/v1/whoami", { token: broken.token() });
    const { status, headers, body } = await visit();
    expect([status, headers.get("retry-after"), slugOf(body)]).toEqual([503, "5", "identity-unavailable"]);
    expect(other.logged()).toMatch(/"level":40.*Expected 200 OK.*"problem":"identity-unavailable"/);
    expect((await fetch(`${other.service.url}/readyz`)).status).toBe(200);
    broken.answerWith("keys");
    await expect.poll(async () => (await visit()).status, { interval: 100 }).toBe(200);
  } finally {
    await other.stop();
    await broken.stop();
  }
});

test("a HEAD request with the session's cookie is no change", async () => {
  const cookie = `__session=${provider.token()}`;
  const response = await fetch(`${api.service.url}/v1/whoami`, { method: "HEAD", headers: { cookie } });
  expect(response.status).toBe(200);
});
