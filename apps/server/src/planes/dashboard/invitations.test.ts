import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  // Enforced, so that the seats of the free plan end at five.
  api = await openTestService({ enforcePlanLimits: true });
});
afterAll(() => api.stop());

type Role = "member" | "admin" | "owner";
interface Made {
  readonly id: string;
  readonly url: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: string;
}
interface Pending {
  readonly items: readonly (Omit<Made, "url"> & { readonly name: string; readonly created_at: string })[];
  readonly next_cursor: string | null;
}
interface Team {
  readonly org: string;
  /** The token of its owner. */
  readonly owner: string;
}

const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
/** Lets somebody in by a token of theirs, and returns it. */
async function join(org: string, role: Role, email = `${role}-${randomUUID().slice(0, 8)}@${org}.org`) {
  const token = await api.token({ email, role, org });
  expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(200);
  return token;
}
async function newTeam(): Promise<Team> {
  const org = newOrg();
  return { org, owner: await join(org, "owner", `boss@${org}.org`) };
}
const invite = (token: string, body: { email: string; role?: Role; name?: string }) =>
  api.call<Made & WireProblem>("POST", "/v1/invitations", { token, body });
const pending = async (token: string, query = "") =>
  (await api.call<Pending>("GET", `/v1/invitations${query}`, { token })).body;
const revoke = (token: string, id: string) =>
  api.call<WireProblem>("DELETE", `/v1/invitations/${id}`, { token });
const members = async (token: string) =>
  (
    await api.call<{ items: { user_id: string; email: string; role: Role }[] }>("GET", "/v1/members", {
      token,
    })
  ).body.items;

/** Opens the link; what whoami then says, or the status of the refusal. */
async function open({ url }: Made) {
  const answer = await fetch(`${api.service.url}/auth/sign-in`, {
    method: "POST",
    headers: { origin: api.service.url, "content-type": "application/json" },
    body: JSON.stringify({ ticket: url.split("#ticket=")[1] }),
  });
  if (answer.status !== 204) return answer.status;
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const me = await fetch(`${api.service.url}/v1/whoami`, { headers: { cookie } });
  return (await me.json()) as { role: Role; email: string; name: string };
}

describe("an invitation", () => {
  test("signs in the one it names, once, with the role it names", async () => {
    const { owner, org } = await newTeam();
    const { status, headers, body } = await invite(owner, {
      email: `Ann@${org}.org`,
      role: "admin",
      name: "Ann",
    });
    expect([status, headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(body.url).toMatch(new RegExp(`^${api.service.url}/sign-in#ticket=[\\w-]{43}$`));
    expect(await open(body)).toMatchObject({ role: "admin", email: `ann@${org}.org`, name: "Ann" });
    expect(await open(body)).toBe(401);
    expect((await pending(owner)).items).toEqual([]);
  });

  test("leads to the address of the request", async () => {
    const { owner, org } = await newTeam();
    const { origin, host } = {
      origin: `https://${new URL(api.service.url).host}`,
      host: new URL(api.service.url).host,
    };
    const answer = await api.call<Made>("POST", "/v1/invitations", {
      token: owner,
      headers: { origin, host },
      body: { email: `far@${org}.org` },
    });
    expect(answer.body.url.startsWith(`${origin}/sign-in#`)).toBe(true);
  });

  test("is listed while it can be used, to admins, never with its link", async () => {
    const { owner, org } = await newTeam();
    const made = (await invite(owner, { email: `ann@${org}.org`, name: "Ann" })).body;
    await invite(owner, { email: `ben@${org}.org` });
    const { items } = await pending(owner);
    expect(items.map(({ email }) => email)).toEqual([`ben@${org}.org`, `ann@${org}.org`]);
    expect(items[1]).toEqual({
      id: made.id,
      email: `ann@${org}.org`,
      name: "Ann",
      role: "member",
      created_at: expect.any(String),
      expires_at: made.expires_at,
    });
    const first = await pending(owner, "?limit=1");
    expect((await pending(owner, `?limit=1&cursor=${first.next_cursor}`)).items).toEqual([items[1]]);
    const member = await join(org, "member");
    expect((await api.call("GET", "/v1/invitations", { token: member })).status).toBe(403);
    expect((await pending((await newTeam()).owner)).items).toEqual([]);
  });

  test("that is revoked is dead at once", async () => {
    const { owner, org } = await newTeam();
    const made = (await invite(owner, { email: `ann@${org}.org` })).body;
    const stranger = (await newTeam()).owner;
    const foreign = await revoke(stranger, made.id);
    expect([foreign.status, slugOf(foreign.body)]).toEqual([404, "invitation-not-found"]);
    expect((await revoke(owner, made.id)).status).toBe(204);
    expect(await open(made)).toBe(401);
    expect((await revoke(owner, made.id)).status).toBe(404);
    expect((await pending(owner)).items).toEqual([]);
  });

  test("takes the place of an earlier one for the same person", async () => {
    const { owner, org } = await newTeam();
    const first = (await invite(owner, { email: `ann@${org}.org`, role: "admin" })).body;
    const second = (await invite(owner, { email: `ANN@${org}.org` })).body;
    expect((await pending(owner)).items.map(({ id }) => id)).toEqual([second.id]);
    expect(await open(first)).toBe(401);
    expect(await open(second)).toMatchObject({ role: "member" });
  });

  test("and its end are audited, without the link", async () => {
    const { owner, org } = await newTeam();
    const email = `ann@${org}.org`;
    const made = (await invite(owner, { email })).body;
    await revoke(owner, made.id);
    const { body } = await api.call<{ items: { action: string; summary: string }[] }>(
      "GET",
      `/v1/audit?target_id=${encodeURIComponent(email)}`,
      { token: owner },
    );
    expect(body.items.map(({ action }) => action)).toEqual(["member.invitation-revoke", "member.invite"]);
    expect(JSON.stringify(body)).not.toContain(made.url.split("=")[1]);
    expect(api.logged()).not.toContain(made.url.split("=")[1]);
  });

  test.each([{ email: "none" }, { email: "a b@x.org" }, {}, { email: "a@x.org", role: "root" }])(
    "for %j is refused",
    async (body) => {
      const { status } = await api.call("POST", "/v1/invitations", {
        token: (await newTeam()).owner,
        body,
      });
      expect(status).toBe(400);
    },
  );
});

describe("nobody makes a link that gives more rights than their own", () => {
  test.each([
    { name: "a member invites", by: "member", email: "new@x.org", slug: "role-required" },
    {
      name: "an admin invites an owner",
      by: "admin",
      email: "new@x.org",
      role: "owner",
      slug: "role-required",
    },
    { name: "an admin makes an owner's link", by: "admin", email: "boss", slug: "role-required" },
    {
      name: "an owner makes a platform owner's",
      by: "owner",
      email: "owner@assay.local",
      slug: "platform-owner-required",
    },
  ] as const)("$name: 403", async ({ by, email, slug, ...more }) => {
    const { org } = await newTeam();
    const token = await join(org, by);
    const { status, body } = await invite(token, {
      ...more,
      email: email === "boss" ? `boss@${org}.org` : email,
    });
    expect([status, slugOf(body)]).toEqual([403, slug]);
    expect((await pending(await join(org, "owner"))).items).toEqual([]);
  });

  test("an owner invites an owner", async () => {
    const { owner, org } = await newTeam();
    const { body } = await invite(owner, { email: `two@${org}.org`, role: "owner" });
    expect(await open(body)).toMatchObject({ role: "owner" });
  });
});

describe("a new link for somebody who is a member", () => {
  test("keeps the role and the name that they have", async () => {
    const { owner, org } = await newTeam();
    await open((await invite(owner, { email: `ann@${org}.org`, role: "admin", name: "Ann" })).body);
    const again = await invite(owner, { email: `ann@${org}.org` });
    expect(again.body.role).toBe("admin");
    expect(await open(again.body)).toMatchObject({ role: "admin", name: "Ann" });
  });

  test("is no way to change the role", async () => {
    const { owner, org } = await newTeam();
    const { status, body } = await invite(owner, { email: `boss@${org}.org`, role: "member" });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, "/role"]);
  });

  test.each(["PUT", "DELETE"])(
    "dies with a %s of the member: it would bring the old rights back",
    async (method) => {
      const { owner, org } = await newTeam();
      const email = `ann@${org}.org`;
      await join(org, "admin", email);
      const link = (await invite(owner, { email })).body;
      const id = (await members(owner)).find((member) => member.email === email)?.user_id;
      await api.call(method, `/v1/members/${id}`, {
        token: owner,
        ...(method === "PUT" ? { body: { role: "member" } } : {}),
      });
      expect(await open(link)).toBe(401);
      expect((await pending(owner)).items).toEqual([]);
    },
  );

  test("who was removed is an invitation, and brings them back", async () => {
    const { owner, org } = await newTeam();
    const email = `ann@${org}.org`;
    const token = await join(org, "admin", email);
    const id = (await members(owner)).find((member) => member.email === email)?.user_id;
    await api.call("DELETE", `/v1/members/${id}`, { token: owner });
    const link = (await invite(owner, { email, role: "member" })).body;
    expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(401);
    expect(await open(link)).toMatchObject({ role: "member" });
    expect((await members(owner)).find((member) => member.email === email)?.user_id).toBe(id);
  });
});

describe("seats", () => {
  test("are taken by members and by pending invitations, up to the plan's", async () => {
    const { owner, org } = await newTeam();
    await join(org, "member");
    await join(org, "member", `third@${org}.org`);
    const fourth = (await invite(owner, { email: `four@${org}.org` })).body;
    expect((await invite(owner, { email: `five@${org}.org` })).status).toBe(201);
    const refused = await invite(owner, { email: `six@${org}.org` });
    expect([refused.status, slugOf(refused.body)]).toEqual([409, "seats-exhausted"]);
    expect(refused.body.detail).toContain(
      "5 of the plan's 5 seats are taken: 3 by members, 2 by pending invitations.",
    );
    // Who is a member, or invited already, needs no further one.
    expect((await invite(owner, { email: `third@${org}.org` })).status).toBe(201);
    expect((await invite(owner, { email: `five@${org}.org` })).status).toBe(201);
    await revoke(owner, fourth.id);
    expect((await invite(owner, { email: `six@${org}.org` })).status).toBe(201);
  });

  test("are free again when a member goes", async () => {
    const { owner, org } = await newTeam();
    for (const name of ["a", "b", "c", "d"]) await join(org, "member", `${name}@${org}.org`);
    expect((await invite(owner, { email: `e@${org}.org` })).status).toBe(409);
    const gone = (await members(owner)).find(({ email }) => email === `a@${org}.org`);
    await api.call("DELETE", `/v1/members/${gone?.user_id}`, { token: owner });
    const link = (await invite(owner, { email: `e@${org}.org` })).body;
    expect(await open(link)).toMatchObject({ role: "member" });
  });

  test("stay with those who have them when the plan shrinks; only adding ends", async () => {
    const { owner, org } = await newTeam();
    const { body: me } = await api.call<{ org_id: string }>("GET", "/v1/whoami", { token: owner });
    const pin = (plan: string) =>
      api.call("PUT", `/v1/admin/orgs/${me.org_id}/plan-override`, { body: { plan } });
    await pin("pro");
    const tokens = [];
    for (const name of ["a", "b", "c", "d", "e", "f"])
      tokens.push(await join(org, "member", `${name}@${org}.org`));
    await pin("free");
    for (const token of tokens) expect((await api.call("GET", "/v1/whoami", { token })).status).toBe(200);
    const refused = await invite(owner, { email: `g@${org}.org` });
    expect(refused.body.detail).toContain("7 of the plan's 5 seats are taken");
    await pin("business");
    expect((await invite(owner, { email: `g@${org}.org` })).status).toBe(201);
  });
});
