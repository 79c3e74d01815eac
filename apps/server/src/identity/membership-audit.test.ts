import { afterAll, beforeAll, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const SECOND = 1_000;

interface Entry {
  readonly action: string;
  readonly actor: { readonly id: string; readonly name: string };
  readonly target_id: string;
  readonly summary: string;
  readonly diff: unknown;
}

let now = Date.parse("2026-03-10T12:00:00.000Z");
const clock = { now: () => now };
let provider: TestIdentityProvider;
let local: TestService;
let oidc: TestService;

beforeAll(async () => {
  provider = await startIdentityProvider(clock);
  local = await openTestService({}, clock);
  oidc = await openTestService({ identity: provider.settings }, clock);
});
afterAll(() => Promise.all([local.stop(), oidc.stop(), provider.stop()]));

/** The entries about the token's holder, oldest first. */
async function entriesOf(api: TestService, token: string): Promise<readonly Entry[]> {
  const { body: me } = await api.call<{ user_id: string }>("GET", "/v1/whoami", { token });
  const path = `/v1/audit?target_id=${me.user_id}`;
  return (await api.call<{ items: Entry[] }>("GET", path, { token })).body.items.toReversed();
}

async function redeem(api: TestService, ticket: string): Promise<string> {
  const response = await fetch(`${api.service.url}/auth/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: api.service.url },
    body: JSON.stringify({ ticket }),
  });
  expect(response.status).toBe(204);
  return /__session=([^;]+)/.exec(response.headers.get("set-cookie") ?? "")?.[1] ?? "";
}

test("a token of the command line that makes an owner leaves an entry, once", async () => {
  const member = await local.token({ email: "ann@x.org", role: "member" });
  await entriesOf(local, member);
  now += SECOND;
  const owner = await local.token({ email: "ann@x.org", role: "owner" });
  for (let use = 0; use < 2; use += 1)
    expect(await entriesOf(local, owner)).toMatchObject([
      {
        action: "member.sync",
        actor: { id: "command-line", name: "Command line" },
        summary: "Added ann@x.org as member, by the command line.",
        diff: { role: { from: null, to: "member" } },
      },
      {
        summary: "Made ann@x.org owner, by the command line.",
        diff: { role: { from: "member", to: "owner" } },
      },
    ]);
});

test("a provider's token that joins or changes a role leaves an entry that names the provider", async () => {
  const claims = { sub: "u1", org_id: "org_one", email: "ben@x.org", name: "Ben" };
  await entriesOf(oidc, provider.token({ ...claims, org_role: "admin" }));
  now += SECOND;
  const weaker = provider.token({ ...claims, org_role: "member" });
  const actor = { id: "identity-provider", name: provider.settings.issuer };
  expect(await entriesOf(oidc, weaker)).toMatchObject([
    {
      actor,
      summary: "Added ben@x.org as admin, by a session token.",
      diff: { role: { from: null, to: "admin" } },
    },
    {
      actor,
      summary: "Made ben@x.org member, by a session token.",
      diff: { role: { from: "admin", to: "member" } },
    },
  ]);
});

test("a first token that comes ten times at once is one join", async () => {
  const token = provider.token({ sub: "u2", org_id: "org_two", email: "eve@x.org", org_role: "owner" });
  await Promise.all(Array.from({ length: 10 }, () => oidc.call("GET", "/v1/whoami", { token })));
  expect(await entriesOf(oidc, token)).toHaveLength(1);
});

test("an invitation leaves an entry with the role and the way, the start-up link likewise", async () => {
  const invited = await local.call<{ url: string }>("POST", "/v1/invitations", {
    body: { email: "cleo@x.org", role: "admin" },
  });
  const session = await redeem(local, invited.body.url.split("ticket=")[1] ?? "");
  expect(await entriesOf(local, session)).toMatchObject([
    {
      action: "member.join",
      summary: "Added cleo@x.org as admin, by invitation.",
      diff: { role: { from: null, to: "admin" } },
    },
  ]);
  const fresh = await openTestService({}, clock);
  const ticket = /ticket=([\w-]+)/.exec(fresh.service.signInUrl)?.[1] ?? "";
  expect(await entriesOf(fresh, await redeem(fresh, ticket))).toMatchObject([
    {
      action: "member.join",
      summary: expect.stringMatching(/as owner, by the sign-in link that the service printed\.$/),
    },
  ]);
  await fresh.stop();
});
