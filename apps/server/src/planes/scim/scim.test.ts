import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startIdentityProvider, type TestIdentityProvider } from "../../test-support/identity-provider.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let provider: TestIdentityProvider;
let api: TestService;
let scimToken = "";
beforeAll(async () => {
  provider = await startIdentityProvider();
  const roles = new Map([["assay-admins", "admin" as const]]);
  const claims = { ...provider.settings.claims, defaultRole: "member" as const, roles };
  api = await openTestService({ identity: { ...provider.settings, claims } });
  scimToken = (await api.call<{ token: string }>("POST", "/v1/scim-token", { token: admin() })).body.token;
});
afterAll(async () => {
  await api.stop();
  await provider.stop();
});

const admin = (org = "org_one") =>
  provider.token({ sub: `admin_${org}`, email: `admin@${org}.org`, org_id: org });
const person = (name: string) =>
  provider.token({ sub: `sub_${name}`, email: `${name}@x.org`, name, org_role: undefined });
const whoami = (name: string) => api.call<{ role: string }>("GET", "/v1/whoami", { token: person(name) });

interface Resource {
  readonly id: string;
  readonly active?: boolean;
  readonly totalResults?: number;
  readonly Resources?: readonly Resource[];
  readonly detail?: string;
  readonly scimType?: string;
}
async function scim(method: string, path: string, body?: unknown, token = scimToken) {
  const response = await fetch(`${api.service.url}/scim/v2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/scim+json" }),
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as Resource };
}
const userBody = (name: string, more: object = {}) => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
  ...{ userName: `${name}@x.org`, externalId: `sub_${name}`, active: true, ...more },
});
const patch = (...Operations: readonly object[]) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
  Operations,
});
const newUser = async (name: string, more: object = {}) =>
  (await scim("POST", "/Users", userBody(name, more))).body.id;

describe("a leaver", () => {
  test.each([
    {
      name: "is deactivated as Okta does",
      leave: (id: string) => scim("PUT", `/Users/${id}`, userBody("okta", { active: false })),
      who: "okta",
    },
    {
      name: "is deactivated as Entra does",
      leave: (id: string) =>
        scim("PATCH", `/Users/${id}`, patch({ op: "Replace", path: "active", value: "False" })),
      who: "entra",
    },
    {
      name: "is deactivated by a patch without a path",
      leave: (id: string) =>
        scim("PATCH", `/Users/${id}`, patch({ op: "replace", value: { active: false } })),
      who: "pathless",
    },
    { name: "is deleted", leave: (id: string) => scim("DELETE", `/Users/${id}`), who: "deleted" },
  ])("$name: out with the next request, and audited", async ({ leave, who }) => {
    const id = await newUser(who);
    expect((await whoami(who)).status).toBe(200);
    expect((await leave(id)).status).toBeLessThan(300);
    expect((await whoami(who)).status).toBe(401);
    const { body } = await api.call<{
      items: { action: string; summary: string; actor: { name: string } }[];
    }>("GET", "/v1/audit?limit=1", { token: admin() });
    expect(body.items[0]).toMatchObject({
      ...{ action: "member.sync", summary: `Removed ${who}@x.org.`, actor: { name: "SCIM" } },
    });
  });

  test("who is activated again returns; one whom an admin removed does not by a change of the name", async () => {
    const id = await newUser("back");
    expect((await whoami("back")).status).toBe(200);
    await scim("PUT", `/Users/${id}`, userBody("back", { active: false }));
    expect((await whoami("back")).status).toBe(401);
    await scim("PUT", `/Users/${id}`, userBody("back"));
    expect((await whoami("back")).status).toBe(200);
    const members = await api.call<{ items: { user_id: string; email: string }[] }>("GET", "/v1/members", {
      token: admin(),
    });
    const { user_id: userId } = members.body.items.find(({ email }) => email === "back@x.org") ?? {};
    await api.call("DELETE", `/v1/members/${userId}`, { token: admin() });
    await scim("PUT", `/Users/${id}`, userBody("back", { displayName: "Back" }));
    expect((await whoami("back")).status).toBe(401);
  });

  test("who has never signed in stays out", async () => {
    const id = await newUser("never");
    await scim("DELETE", `/Users/${id}`);
    expect((await whoami("never")).status).toBe(401);
    await newUser("inactive", { active: false });
    expect((await whoami("inactive")).status).toBe(401);
  });

  test("is known by the email where the ids differ", async () => {
    const id = await newUser("mail", {
      userName: "someone",
      externalId: "other",
      emails: [{ value: "Mail@X.org" }],
    });
    expect((await whoami("mail")).status).toBe(200);
    await scim("DELETE", `/Users/${id}`);
    expect((await whoami("mail")).status).toBe(401);
  });
});

test("groups give roles, before and after the first sign-in, and take them", async () => {
  const [early, late] = [await newUser("early"), await newUser("late")];
  expect((await whoami("late")).body.role).toBe("member");
  const members = [{ value: early }, { value: late }];
  const { body } = await scim("POST", "/Groups", { displayName: "assay-admins", members });
  expect([(await whoami("early")).body.role, (await whoami("late")).body.role]).toEqual(["admin", "admin"]);
  await scim("PATCH", `/Groups/${body.id}`, patch({ op: "remove", path: `members[value eq "${late}"]` }));
  expect([(await whoami("early")).body.role, (await whoami("late")).body.role]).toEqual(["admin", "member"]);
  await scim("PATCH", `/Groups/${body.id}`, patch({ op: "add", path: "members", value: [{ value: late }] }));
  expect((await whoami("late")).body.role).toBe("admin");
  await scim("DELETE", `/Groups/${body.id}`);
  expect([(await whoami("early")).body.role, (await whoami("late")).body.role]).toEqual(["member", "member"]);
});

test("a wrong token is a refused credential of the security log", async () => {
  const quiet = await openTestService({ identity: provider.settings });
  const headers = { authorization: "Bearer scim_wrong" };
  expect((await fetch(`${quiet.service.url}/scim/v2/Users`, { headers })).status).toBe(401);
  expect(quiet.logged()).toMatch(/security\.credential\.refused.*"route":"GET \/scim\/v2\/Users"/);
  await quiet.stop();
});

test("a group takes only people that exist, and a deleted user leaves it", async () => {
  const [stays, leaves] = [await newUser("stays"), await newUser("leaves")];
  const group = { displayName: "writers", members: [{ value: stays }, { value: leaves }] };
  const unknown = { value: "00000000-0000-4000-8000-000000000000" };
  const refused = await scim("POST", "/Groups", { ...group, members: [...group.members, unknown] });
  expect([refused.status, refused.body.scimType]).toEqual([400, "invalidValue"]);
  expect(refused.body.detail).toContain(unknown.value);
  const many = Array.from({ length: 21 }, () => unknown);
  const refusedMany = await scim("POST", "/Groups", { ...group, members: [...group.members, ...many] });
  expect([refusedMany.status, refusedMany.body.detail]).toEqual([400, refused.body.detail]);
  const twice = Array.from({ length: 21 }, () => ({ value: stays }));
  expect((await scim("POST", "/Groups", { displayName: "large", members: twice })).status).toBe(201);
  const { id } = (await scim("POST", "/Groups", group)).body;
  const added = await scim("PATCH", `/Groups/${id}`, patch({ op: "add", path: "members", value: [unknown] }));
  expect([added.status, added.body.scimType]).toEqual([400, "invalidValue"]);
  expect((await scim("PUT", `/Groups/${id}`, group)).status).toBe(200);
  await scim("DELETE", `/Users/${leaves}`);
  expect((await scim("GET", `/Groups/${id}`)).body).toMatchObject({ members: [{ value: stays }] });
  await scim("DELETE", `/Users/${stays}`);
  expect((await scim("GET", `/Groups/${id}`)).body).not.toHaveProperty("members");
});

test("what a client discovers can only be read", async () => {
  expect((await scim("GET", "/ServiceProviderConfig")).body).toMatchObject({ patch: { supported: true } });
  expect((await scim("GET", "/ResourceTypes")).body.totalResults).toBe(2);
  expect((await scim("GET", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User")).body.id).toMatch(/User$/);
  expect((await scim("GET", "/Schemas/none")).status).toBe(404);
  expect((await scim("DELETE", "/Schemas")).status).toBe(405);
  expect((await scim("GET", "/Nothing")).status).toBe(404);
});

test("users are found by a filter, in pages, with the requested attributes", async () => {
  await newUser("found");
  const { body } = await scim("GET", `/Users?filter=${encodeURIComponent('userName eq "found@x.org"')}`);
  expect([body.totalResults, body.Resources?.[0]]).toEqual([
    1,
    expect.objectContaining({ userName: "found@x.org" }),
  ]);
  expect((await scim("GET", "/Users?startIndex=2&count=1")).body).toMatchObject({
    startIndex: 2,
    itemsPerPage: 1,
  });
  const searched = await scim("POST", "/Users/.search", {
    filter: 'externalId eq "sub_found"',
    attributes: ["userName"],
  });
  expect(searched.body.Resources).toEqual([expect.not.objectContaining({ externalId: "sub_found" })]);
  expect((await scim("POST", "/.search", { filter: 'displayName eq "none"' })).body.totalResults).toBe(0);
  const narrow = await scim("GET", `/Users/${body.Resources?.[0]?.id}?attributes=userName`);
  expect(Object.keys(narrow.body).sort()).toEqual(["id", "schemas", "userName"]);
});

describe("nobody else gets in:", () => {
  test("no token, another org's session, and a revoked token answer 401", async () => {
    const made = await api.call<{ token: string }>("POST", "/v1/scim-token", { token: admin("org_gone") });
    expect((await scim("GET", "/Users", undefined, made.body.token)).status).toBe(200);
    await api.call("DELETE", "/v1/scim-token", { token: admin("org_gone") });
    for (const token of ["", "nonsense", admin(), made.body.token])
      expect((await scim("GET", "/Users", undefined, token)).status).toBe(401);
  });

  test("the token of one org neither sees nor changes another's people", async () => {
    const id = await newUser("ours");
    const { token } = (
      await api.call<{ token: string }>("POST", "/v1/scim-token", { token: admin("org_two") })
    ).body;
    expect((await scim("GET", "/Users", undefined, token)).body.totalResults).toBe(0);
    for (const method of ["GET", "DELETE"])
      expect((await scim(method, `/Users/${id}`, undefined, token)).status).toBe(404);
    expect((await scim("PUT", `/Users/${id}`, userBody("ours"), token)).status).toBe(404);
    expect((await scim("GET", `/Users/${id}`)).status).toBe(200);
  });
});

test.each([
  { name: "no user name", body: { userName: "" }, answer: [400, "invalidValue"] },
  { name: "a user name that is no text", body: { userName: 7 }, answer: [400, "invalidValue"] },
  { name: "NUL", body: { userName: "a\u0000b" }, answer: [400, "invalidValue"] },
  {
    name: "emails that are no objects",
    body: { userName: "u1", emails: ["x"] },
    answer: [400, "invalidValue"],
  },
  {
    name: "an active that is no flag",
    body: { userName: "u2", active: "perhaps" },
    answer: [400, "invalidValue"],
  },
  { name: "a list", body: [], answer: [400, "invalidValue"] },
  { name: "no JSON", body: "{", answer: [400, "invalidSyntax"] },
])("a user with $name is refused", async ({ body, answer }) => {
  const refused = await scim("POST", "/Users", body);
  expect([refused.status, refused.body.scimType]).toEqual(answer);
});

test.each([
  'userName eq "CASE@X.ORG"',
  'emails[type eq "Work"].value eq "Case@x.org"',
  'not (userName ne "Case@x.org") and externalId eq "sub_case"',
])("a search finds a user whatever the case, as names are unique whatever the case: %s", async (filter) => {
  await newUser("case", { emails: [{ value: "case@x.org", type: "work" }] });
  const found = async (text: string) =>
    (await scim("GET", `/Users?filter=${encodeURIComponent(text)}`)).body.totalResults;
  expect(await found(filter)).toBe(1);
  expect(await found('externalId eq "SUB_CASE"')).toBe(0);
});

test("a request that names the type of a body that it does not have is served", async () => {
  const id = await newUser("bodiless");
  const { status } = await fetch(`${api.service.url}/scim/v2/Users/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${scimToken}`, "content-type": "application/scim+json" },
  });
  expect(status).toBe(204);
});

test("a user is told to be active when the provider did not say", async () => {
  const { body } = await scim("POST", "/Users", userBody("silent", { active: undefined }));
  expect(body.active).toBe(true);
});

test("a change without a known op is refused in words of its own", async () => {
  const id = await newUser("frob");
  const { status, body } = await scim("PATCH", `/Users/${id}`, patch({ op: "frob", path: "displayName" }));
  expect([status, body.detail]).toEqual([400, "The op of each change must be add, remove or replace."]);
});

test("a user name that is taken answers 409, an unknown id 404, a bad filter and a bad patch 400", async () => {
  const id = await newUser("taken");
  expect(await scim("POST", "/Users", userBody("TAKEN"))).toMatchObject({
    status: 409,
    body: { scimType: "uniqueness" },
  });
  expect((await scim("GET", "/Users/nobody")).status).toBe(404);
  expect((await scim("GET", "/Users?filter=((((")).body.scimType).toBe("invalidFilter");
  for (const body of [
    {},
    patch({ op: "explode", path: "active" }),
    patch({ op: "replace", path: "emails[", value: 1 }),
  ])
    expect((await scim("PATCH", `/Users/${id}`, body)).status).toBe(400);
  expect(api.logged()).not.toMatch(/a SCIM request failed/);
});
