import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../../test-support/browser.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../../test-support/openid-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const MINUTE_MS = 60_000;
/** The provider runs on the real clock: the service's is moved ahead of it. */
const time = { ahead: 0 };
const clock = { now: () => Date.now() + time.ahead };
let provider: OpenIdProvider;
let api: TestService;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  api = await openTestService(
    { identity: provider.settings, platformOwnerEmails: ["boss@x.org"], enforcePlanLimits: true },
    clock,
  );
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
});

const at = (path: string) => `${api.service.url}${path}`;
const read = async <T>(browser: Browser, path: string) => {
  const response = await browser.fetch(at(path));
  return { status: response.status, body: (await response.json()) as T };
};
const whoami = (browser: Browser) =>
  read<WireProblem & { email: string; role: string; platform_owner: boolean }>(browser, "/v1/whoami");
const securityLines = (): readonly Readonly<Record<string, unknown>>[] =>
  api
    .logged()
    .split("\n")
    .filter((line) => line.includes('"event":"security.'))
    .map((line) => JSON.parse(line));
interface Sessions {
  readonly items: readonly { id: string; user_agent: string; is_current: boolean }[];
}

/** Signs somebody in with a new browser. */
async function signIn(id: string, claims: Readonly<Record<string, unknown>> = {}, path = "/auth/start") {
  provider.signIn(id, { org_id: `org_${id}`, ...claims });
  const browser = openBrowser();
  const { visited } = await browser.open(at(path));
  return { browser, visited, landed: visited.at(-1)?.replace(api.service.url, "") };
}

describe("signing in at the provider", () => {
  test("ends with a session of this installation on the requested page", async () => {
    const { browser, visited, landed } = await signIn(
      "ann",
      {},
      "/auth/start?return_to=/keys%3Fscope=secret",
    );
    expect(landed).toBe("/keys?scope=secret");
    const asked = new URL(visited[1] ?? "").searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid email profile",
      redirect_uri: at("/auth/callback"),
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)).toMatch(/^[\w-]{43}$/);
    expect([...(browser.cookies.get(api.service.url)?.keys() ?? [])]).toEqual(["__session"]);
    expect(await whoami(browser)).toMatchObject({ status: 200, body: { email: "ann@x.org", role: "admin" } });
    expect(await (await fetch(at("/auth/identity"))).json()).toMatchObject({ sign_in: "/auth/start" });
  });

  test("lists the sessions of the person, and ends one or all of them", async () => {
    const [one, two] = [(await signIn("bea")).browser, (await signIn("bea")).browser];
    const { browser: stranger } = await signIn("eve");
    const { items } = (await read<Sessions>(one, "/v1/sessions")).body;
    expect(items.map((item) => [item.user_agent, item.is_current]).sort()).toEqual([
      ["Test browser", false],
      ["Test browser", true],
    ]);
    const other = items.find((item) => !item.is_current)?.id;
    const headers = { origin: api.service.url };
    const end = (browser: Browser, path: string) => browser.fetch(at(path), { method: "DELETE", headers });
    expect((await end(stranger, `/v1/sessions/${other}`)).status).toBe(204);
    expect((await whoami(two)).status).toBe(200);
    expect((await end(one, `/v1/sessions/${other}`)).status).toBe(204);
    expect([(await whoami(two)).status, (await whoami(one)).status]).toEqual([401, 200]);
    const { browser: three } = await signIn("bea");
    const tokenOf = (browser: Browser) => browser.cookies.get(api.service.url)?.get("__session") ?? "";
    const [token, strangers] = [tokenOf(one), tokenOf(stranger)];
    expect((await end(three, "/v1/sessions")).status).toBe(204);
    expect(three.cookies.get(api.service.url)?.has("__session")).toBe(false);
    expect([(await whoami(one)).status, (await whoami(three)).status]).toEqual([401, 401]);
    await api.restart();
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
    expect((await api.call("GET", "/v1/whoami", { token: strangers })).status).toBe(200);
  });

  test("again replaces the browser's session, and signing out ends it", async () => {
    const { browser } = await signIn("cara");
    const former = browser.cookies.get(api.service.url)?.get("__session") ?? "";
    await browser.open(at("/auth/start"));
    expect((await api.call("GET", "/v1/whoami", { token: former })).status).toBe(401);
    const token = browser.cookies.get(api.service.url)?.get("__session") ?? "";
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(200);
    const headers = { origin: api.service.url };
    expect((await browser.fetch(at("/auth/sign-out"), { method: "POST", headers })).status).toBe(204);
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
  });

  test("with a fresh password makes the sign-in recent", async () => {
    const { browser, visited, landed } = await signIn("fred", {}, "/auth/start?fresh=true");
    expect([landed, new URL(visited[1] ?? "").searchParams.get("prompt")]).toEqual(["/", "login"]);
    const status = async () => (await browser.fetch(at("/v1/users/u1/events"))).status;
    expect(await status()).toBe(200);
    time.ahead += 16 * MINUTE_MS;
    expect(await status()).toBe(403);
    time.ahead -= 16 * MINUTE_MS;
  });

  test.each([
    { name: "no organization", claims: { org_id: undefined }, error: "invalid-credential" },
    { name: "an unknown role", claims: { org_role: "root" }, error: "invalid-credential" },
  ])("with $name leads to the sign-in page, which explains it", async ({ claims, error }) => {
    const { browser, landed } = await signIn("nobody", claims);
    expect(landed).toBe(`/sign-in?error=${error}`);
    expect(browser.cookies.get(api.service.url)?.size).toBe(0);
    expect(securityLines()).toContainEqual(
      expect.objectContaining({
        ...{ event: "security.sign_in.refused", route: "GET /auth/callback", reason: error, orgId: null },
      }),
    );
  });

  test("that fails has its reason in the log: what the provider said, or what its answer lacks", async () => {
    const reason = () =>
      api
        .logged()
        .split("\n")
        .filter((line) => line.includes("a sign-in at the identity provider failed"))
        .map((line) => JSON.parse(line).reason)
        .at(-1);
    await signIn("nobody", { org_id: undefined });
    expect(reason()).toMatch(/names no organization/);
    const comeBack = async (answer: string) => {
      const browser = openBrowser();
      const started = await browser.fetch(at("/auth/start"), { redirect: "manual" });
      const state = new URL(started.headers.get("location") ?? "").searchParams.get("state");
      const issuer = encodeURIComponent(provider.settings.issuer);
      await browser.fetch(at(`/auth/callback?state=${state}&iss=${issuer}&${answer}`), {
        redirect: "manual",
      });
    };
    await comeBack("error=access_denied&error_description=Not%20in%20the%20group");
    expect(reason()).toMatch(/: access_denied: Not in the group$/);
    await comeBack("code=of-nobody");
    expect(reason()).toMatch(/: invalid_grant: /);
  });

  test("works for a platform owner without an org", async () => {
    const { browser, landed } = await signIn("boss", { org_id: undefined, org_role: undefined });
    expect(landed).toBe("/sign-in?error=no-organization");
    expect(securityLines().at(-1)).toMatchObject({ event: "security.sign_in.accepted", orgId: null });
    expect((await read(browser, "/v1/admin/orgs")).status).toBe(200);
    expect((await read(browser, "/v1/experiments")).status).toBe(401);
    time.ahead += 2 * 60 * MINUTE_MS;
    const response = await browser.fetch(at("/v1/admin/orgs"));
    expect([response.status, response.headers.getSetCookie().length]).toEqual([200, 1]);
    expect((await read(browser, "/v1/admin/orgs")).status).toBe(200);
    time.ahead -= 2 * 60 * MINUTE_MS;
  });
});

describe("a session that the provider can be asked about", () => {
  test("is over within a minute when its person is disabled there, and does not come back", async () => {
    const { browser } = await signIn("leaver");
    expect((await whoami(browser)).status).toBe(200);
    provider.disable("leaver");
    time.ahead += MINUTE_MS;
    const refused = await whoami(browser);
    expect([refused.status, slugOf(refused.body)]).toEqual([401, "invalid-credential"]);
    provider.signIn("leaver");
    expect((await whoami(browser)).status).toBe(401);
  });

  test("is over within a minute also after the clock, which was ahead, was set right", async () => {
    const { browser } = await signIn("traveller");
    time.ahead += 30 * MINUTE_MS;
    expect((await whoami(browser)).status).toBe(200);
    provider.disable("traveller");
    time.ahead -= 29 * MINUTE_MS;
    expect((await whoami(browser)).status).toBe(401);
  });

  test("takes a changed role within a minute", async () => {
    const { browser } = await signIn("riser");
    provider.signIn("riser", { org_id: "org_riser", org_role: "owner" });
    time.ahead += MINUTE_MS;
    expect((await whoami(browser)).body.role).toBe("owner");
    expect((await whoami(browser)).body.role).toBe("owner");
  });

  test("is over when the provider takes the role away", async () => {
    const { browser } = await signIn("faller");
    provider.signIn("faller", { org_id: "org_faller", org_role: "nothing" });
    time.ahead += MINUTE_MS;
    expect([(await whoami(browser)).status, (await whoami(browser)).status]).toEqual([401, 401]);
  });

  test("is asked about once by many requests at once, and goes on for a month", async () => {
    const { browser } = await signIn("steady");
    for (let round = 0; round < 3; round += 1) {
      time.ahead += MINUTE_MS;
      const answers = await Promise.all(Array.from({ length: 8 }, () => whoami(browser)));
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    }
  });

  test("survives an outage of the provider for ten minutes, and goes on after a longer one", async () => {
    const { browser } = await signIn("patient");
    provider.isBroken = true;
    time.ahead += 9 * MINUTE_MS;
    expect((await whoami(browser)).status).toBe(200);
    time.ahead += 2 * MINUTE_MS;
    const { status, body } = await whoami(browser);
    expect([status, slugOf(body)]).toEqual([503, "identity-unavailable"]);
    provider.isBroken = false;
    time.ahead += MINUTE_MS;
    expect((await whoami(browser)).status).toBe(200);
  });
});

test("a provider that is down at the first sign-in leads to the sign-in page, and sign-in works once it is back", async () => {
  const down = await startOpenIdProvider();
  down.isBroken = true;
  const other = await openTestService({ identity: down.settings });
  try {
    const open = async () => (await openBrowser().open(`${other.service.url}/auth/start`)).visited.at(-1);
    expect(await open()).toBe(`${other.service.url}/sign-in?error=identity-unavailable`);
    down.isBroken = false;
    down.signIn("ann");
    expect(await open()).toBe(`${other.service.url}/`);
  } finally {
    await other.stop();
    await down.stop();
  }
});

test("claims are read by the names of the settings, and groups mean roles", async () => {
  const claims = {
    ...provider.settings.claims,
    ...{ name: "nickname", role: "groups", defaultOrg: "everybody", defaultRole: "member" as const },
    roles: new Map([["assay-admins", "admin" as const]]),
  };
  const other = await openTestService({ identity: { ...provider.settings, claims } });
  try {
    const roleOf = async (id: string, groups: readonly string[] | undefined) => {
      provider.signIn(id, { org_id: undefined, groups });
      const browser = openBrowser();
      await browser.open(`${other.service.url}/auth/start`);
      const response = await browser.fetch(`${other.service.url}/v1/whoami`);
      return [response.status, ((await response.json()) as { role: string }).role];
    };
    expect(await roleOf("gwen", ["staff", "assay-admins"])).toEqual([200, "admin"]);
    expect(await roleOf("hal", ["staff"])).toEqual([200, "member"]);
    expect(await roleOf("ida", undefined)).toEqual([200, "member"]);
  } finally {
    await other.stop();
  }
});

test("without refresh tokens a session lasts an hour", async () => {
  const plain = await startOpenIdProvider({ refreshes: false });
  const later = { ahead: 0 };
  const other = await openTestService({ identity: plain.settings }, { now: () => Date.now() + later.ahead });
  try {
    plain.signIn("ann");
    const browser = openBrowser();
    await browser.open(`${other.service.url}/auth/start`);
    const status = async () => (await browser.fetch(`${other.service.url}/v1/whoami`)).status;
    later.ahead = 59 * MINUTE_MS;
    expect(await status()).toBe(200);
    later.ahead = 61 * MINUTE_MS;
    expect(await status()).toBe(401);
  } finally {
    await other.stop();
    await plain.stop();
  }
});
