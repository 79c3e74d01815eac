import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider, type TestIdentityProvider } from "../../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

interface WireMember {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly joined_at: string | null;
  readonly created_at: string;
}
interface MemberPage {
  readonly items: readonly WireMember[];
  readonly next_cursor: string | null;
}
interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}
type Role = "member" | "admin" | "owner";

/** Somebody who has been in the org, by a token of theirs. */
async function join(org: string, role: Role, name = `${role}-${randomUUID().slice(0, 8)}`): Promise<Person> {
  const email = `${name}@${org}.org`;
  const token = await api.token({ email, role, org });
  const { body } = await api.call<{ user_id: string }>("GET", "/v1/whoami", { token });
  return { id: body.user_id, email, token };
}
/** An org with one of each role. */
async function newTeam() {
  const org = `team-${randomUUID().slice(0, 8)}`;
  return {
    org,
    owner: await join(org, "owner"),
    admin: await join(org, "admin"),
    member: await join(org, "member"),
  };
}
const put = (by: Person, id: string, role: Role) =>
  api.call<WireMember & WireProblem>("PUT", `/v1/members/${id}`, { token: by.token, body: { role } });
const remove = (by: Person, id: string) =>
  api.call<WireProblem>("DELETE", `/v1/members/${id}`, { token: by.token });
const whoami = ({ token }: Person) =>
  api.call<{ role: string } & WireProblem>("GET", "/v1/whoami", { token });
const list = async ({ token }: Person, query = "") =>
  (await api.call<MemberPage>("GET", `/v1/members${query}`, { token })).body;
/** What members changed; `membership-audit.test.ts` covers joins. */
const audited = async ({ token }: Person, targetId: string) =>
  (
    await api.call<{ items: { action: string; diff: unknown; summary: string; actor: { email: string } }[] }>(
      "GET",
      `/v1/audit?target_id=${targetId}`,
      { token },
    )
  ).body.items.filter(({ action }) => action !== "member.sync");

describe("the list of members", () => {
  test("is open to a member: everybody of the org and nobody else, newest first", async () => {
    const { owner, admin, member } = await newTeam();
    await newTeam();
    const { items, next_cursor } = await list(member);
    expect(items.map(({ user_id }) => user_id)).toEqual([member.id, admin.id, owner.id]);
    expect(next_cursor).toBeNull();
    expect(items[1]).toEqual({
      user_id: admin.id,
      email: admin.email,
      name: admin.email,
      role: "admin",
      joined_at: expect.stringMatching(/^\d{4}-.*Z$/),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("is paged", async () => {
    const { owner, admin, member } = await newTeam();
    const first = await list(owner, "?limit=2");
    const second = await list(owner, `?limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(({ user_id }) => user_id)).toEqual([
      member.id,
      admin.id,
      owner.id,
    ]);
    expect(second.next_cursor).toBeNull();
  });
});

describe("a role", () => {
  test("is in force with the very next request, whatever the token says", async () => {
    const { owner, admin, member } = await newTeam();
    const { status, body } = await put(owner, admin.id, "member");
    expect([status, body.role, body.email]).toEqual([200, "member", admin.email]);
    expect((await whoami(admin)).body.role).toBe("member");
    expect((await put(admin, member.id, "admin")).status).toBe(403);
    await put(owner, member.id, "owner");
    expect((await whoami(member)).body.role).toBe("owner");
    expect((await put(member, admin.id, "admin")).status).toBe(200);
  });

  test("is audited with what it was, and not when it stays", async () => {
    const { owner, member } = await newTeam();
    await put(owner, member.id, "admin");
    await put(owner, member.id, "admin");
    expect(await audited(owner, member.id)).toEqual([
      expect.objectContaining({
        action: "member.role",
        diff: { role: { from: "member", to: "admin" } },
        summary: `Made ${member.email} admin.`,
        actor: expect.objectContaining({ email: owner.email }),
      }),
    ]);
  });

  test("changed many times in a row ends as the last change says", async () => {
    const { owner, member } = await newTeam();
    const roles = ["admin", "owner", "member", "owner", "admin", "member", "admin"] as const;
    for (const role of roles) await put(owner, member.id, role);
    expect((await whoami(member)).body.role).toBe("admin");
  });

  test.each(["root", "org:admin", "", null])("%j is none", async (role) => {
    const { owner, member } = await newTeam();
    const { status } = await api.call("PUT", `/v1/members/${member.id}`, {
      token: owner.token,
      body: { role },
    });
    expect(status).toBe(400);
  });
});

describe("nobody has more rights by another's hand than that hand", () => {
  test.each([
    { name: "a member changes a role", by: "member", whom: "member", act: "member" },
    { name: "a member removes somebody", by: "member", whom: "admin", act: null },
    { name: "an admin makes an owner", by: "admin", whom: "member", act: "owner" },
    { name: "an admin makes themselves an owner", by: "admin", whom: "admin", act: "owner" },
    { name: "an admin lowers an owner", by: "admin", whom: "owner", act: "member" },
    { name: "an admin removes an owner", by: "admin", whom: "owner", act: null },
  ] as const)("$name: 403, and nothing changes", async ({ by, whom, act }) => {
    const team = await newTeam();
    const { id } = team[whom];
    const answer = act === null ? await remove(team[by], id) : await put(team[by], id, act);
    expect([answer.status, slugOf(answer.body)]).toEqual([403, "role-required"]);
    expect((await whoami(team[whom])).body.role).toBe(whom);
    expect(await audited(team.owner, id)).toEqual([]);
  });

  test("an admin may change and remove admins and members", async () => {
    const { admin, member, org } = await newTeam();
    expect((await put(admin, member.id, "admin")).status).toBe(200);
    expect((await remove(admin, member.id)).status).toBe(204);
    expect((await put(admin, (await join(org, "admin")).id, "member")).status).toBe(200);
  });
});

describe("the last owner", () => {
  test("stays, until there is another", async () => {
    const { owner, member } = await newTeam();
    for (const answer of [
      await put(owner, owner.id, "admin"),
      await put(owner, owner.id, "member"),
      await remove(owner, owner.id),
    ])
      expect([answer.status, slugOf(answer.body)]).toEqual([409, "last-owner"]);
    await put(owner, member.id, "owner");
    expect((await remove(owner, owner.id)).status).toBe(204);
    expect((await remove(member, member.id)).status).toBe(409);
  });
});

describe("a removed member", () => {
  test("is out with the very next request, and gone from the list; the audit keeps them", async () => {
    const { owner, admin } = await newTeam();
    expect((await whoami(admin)).status).toBe(200);
    const { status, body } = await remove(owner, admin.id);
    expect([status, body]).toEqual([204, null]);
    const refused = await whoami(admin);
    expect([refused.status, slugOf(refused.body)]).toEqual([401, "invalid-credential"]);
    expect((await list(owner)).items.map(({ user_id }) => user_id)).not.toContain(admin.id);
    expect(await audited(owner, admin.id)).toEqual([
      expect.objectContaining({
        action: "member.remove",
        diff: { role: { from: "admin", to: null } },
        summary: `Removed ${admin.email}.`,
      }),
    ]);
    expect((await remove(owner, admin.id)).status).toBe(404);
  });
});

describe("an id that is nobody's here", () => {
  test("is 404, be it another org's or unknown, and changes nothing", async () => {
    const [mine, theirs] = [await newTeam(), await newTeam()];
    for (const id of [theirs.member.id, randomUUID()]) {
      for (const answer of [await put(mine.owner, id, "admin"), await remove(mine.owner, id)])
        expect([answer.status, slugOf(answer.body)]).toEqual([404, "member-not-found"]);
    }
    expect((await whoami(theirs.member)).body.role).toBe("member");
  });
});

describe.each(["oidc", "clerk"] as const)("under %s", (kind) => {
  let provider: TestIdentityProvider;
  let other: TestService;
  beforeAll(async () => {
    provider = await startIdentityProvider(undefined, kind);
    other = await openTestService({ identity: provider.settings, enforcePlanLimits: true });
  });
  afterAll(async () => {
    await other.stop();
    await provider.stop();
  });
  const tokenOf = (name: string, claims = {}) =>
    provider.token({ sub: `user_${name}`, email: `${name}@x.org`, name, ...claims });
  const status = async (token: string) => (await other.call("GET", "/v1/whoami", { token })).status;
  const memberOf = async (email: string, token: string) =>
    (await other.call<MemberPage>("GET", "/v1/members", { token })).body.items.find(
      (one) => one.email === email,
    );

  test("members are read here and their roles changed there", async () => {
    const token = tokenOf("olga", { org_role: "owner" });
    expect(await status(token)).toBe(200);
    const path = `/v1/members/${(await memberOf("olga@x.org", token))?.user_id}`;
    const answer = await other.call<WireProblem>("PUT", path, { token, body: { role: "admin" } });
    expect([answer.status, slugOf(answer.body)]).toEqual([409, "members-elsewhere"]);
    expect(answer.body.detail).toContain(provider.settings.issuer);
  });

  test("a removed member is out with every token, frees a seat, and comes back by an invitation only", async () => {
    const admin = tokenOf("olga", { org_role: "owner" });
    const leaver = tokenOf("leaver", { exp: Math.floor(Date.now() / 1000) + 100 * 365 * 86_400 });
    expect([await status(admin), await status(leaver)]).toEqual([200, 200]);
    for (const name of ["one", "two", "three"]) expect(await status(tokenOf(name))).toBe(200);
    expect(await status(tokenOf("late"))).toBe(403);
    const { user_id: id } = (await memberOf("leaver@x.org", admin)) ?? {};
    expect((await other.call("DELETE", `/v1/members/${id}`, { token: admin })).status).toBe(204);
    expect(await status(leaver)).toBe(401);
    const fresh = tokenOf("leaver", { iat: Math.floor(Date.now() / 1000) + 4 });
    expect([await status(fresh), await status(leaver)]).toEqual([401, 401]);
    const invited = await other.call<{ url: string }>("POST", "/v1/invitations", {
      token: admin,
      body: { email: "Leaver@x.org" },
    });
    expect([invited.status, invited.body.url]).toEqual([201, `${other.service.url}/sign-in`]);
    expect(await status(fresh)).toBe(200);
    expect((await memberOf("leaver@x.org", admin))?.user_id).toBe(id);
    expect(await status(tokenOf("late"))).toBe(403);
    await other.call("DELETE", `/v1/members/${id}`, { token: admin });
    expect([await status(tokenOf("late")), await status(fresh)]).toEqual([200, 401]);
  });
});
