import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { resetPasskeys } from "../../main.ts";
import { createAuthenticator, type TestAuthenticator } from "../../test-support/authenticator.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { startIdentityProvider } from "../../test-support/identity-provider.ts";
import { addPasskey, confirm, ORIGIN } from "../../test-support/passkeys.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Requirement {
  readonly required: boolean;
  readonly members_without: readonly { readonly email: string }[];
}

const PATH = "/v1/passkey-requirement";

let api: TestService;
/** An org of its own for each test. */
let org: string;
let owner: string;
let device: TestAuthenticator;

beforeAll(async () => {
  api = await openTestService({ publicUrl: ORIGIN, platformOwnerEmails: ["boss@team.org"] });
});
afterAll(() => api.stop());
beforeEach(async () => {
  org = randomUUID();
  owner = await sessionOf("owner@team.org", "owner");
  device = createAuthenticator();
  await addPasskey(api, owner, device);
});

const sessionOf = (email: string, role: "member" | "admin" | "owner") => api.token({ email, role, org });
const require = (required: boolean, token = owner) =>
  api.call<Requirement>("PUT", PATH, { token, body: { required } });
const problemOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [
  status,
  slugOf(body as WireProblem),
];
const whoami = (token: string) => api.call("GET", "/v1/whoami", { token });
const REQUIRED = [403, "passkey-required"];

describe("an org that requires passkeys", () => {
  test("refuses every session in which none was used, and takes it afterwards", async () => {
    const ann = await sessionOf("ann@team.org", "admin");
    expect((await whoami(ann)).status).toBe(200);
    const { status, body } = await require(true);
    expect([status, body.required]).toEqual([200, true]);
    expect(body.members_without).toMatchObject([{ email: "ann@team.org" }]);
    for (const path of ["/v1/whoami", "/v1/experiments", "/v1/keys", "/v1/sessions", PATH])
      expect({ path, problem: problemOf(await api.call("GET", path, { token: ann })) }).toEqual({
        ...{ path, problem: REQUIRED },
      });
    expect(problemOf(await require(false, ann))).toEqual(REQUIRED);
    expect((await addPasskey(api, ann, createAuthenticator())).status).toBe(201);
    expect((await whoami(ann)).status).toBe(200);
    expect((await api.call<Requirement>("GET", PATH, { token: ann })).body.members_without).toEqual([]);
  });

  test("asks for the passkey in each new session", async () => {
    await require(true);
    const second = await sessionOf("owner@team.org", "owner");
    expect(problemOf(await whoami(second))).toEqual(REQUIRED);
    expect((await confirm(api, second, device)).status).toBe(204);
    expect((await whoami(second)).status).toBe(200);
  });

  test("lets nobody with only a link add a passkey beside those that the person has, or remove one", async () => {
    await require(true);
    const thief = await sessionOf("owner@team.org", "owner");
    const options = await api.call("POST", "/v1/passkeys/registration-options", { token: thief });
    expect(problemOf(options)).toEqual(REQUIRED);
    const removal = await api.call("DELETE", `/v1/passkeys/${device.id}`, { token: thief });
    expect(problemOf(removal)).toEqual(REQUIRED);
    expect(problemOf(await confirm(api, thief, createAuthenticator()))).toEqual([403, "passkey-refused"]);
    expect(problemOf(await whoami(thief))).toEqual(REQUIRED);
  });

  test("asks platform owners too, and no service tokens", async () => {
    const body = { name: "pipeline", role: "member", expires_in_days: 1 };
    const made = await api.call<{ token: string }>("POST", "/v1/service-tokens", { token: owner, body });
    const boss = await sessionOf("boss@team.org", "member");
    await whoami(boss);
    expect((await api.call("GET", "/v1/admin/orgs", { token: boss })).status).toBe(200);
    await require(true);
    expect(problemOf(await api.call("GET", "/v1/admin/orgs", { token: boss }))).toEqual(REQUIRED);
    expect((await whoami(made.body.token)).status).toBe(200);
  });

  test("goes back to links, by an admin, audited", async () => {
    await require(true);
    const ann = await sessionOf("ann@team.org", "member");
    await require(false);
    expect((await whoami(ann)).status).toBe(200);
    const audit = await api.call<{ items: readonly { action: string }[] }>("GET", "/v1/audit", {
      token: owner,
    });
    const actions = audit.body.items.map(({ action }) => action);
    expect(actions.filter((action) => action === "org.passkey-requirement")).toHaveLength(2);
  });

  test("can be helped by the command line when the last owner lost theirs", async () => {
    await require(true);
    const settings = api.settings();
    expect(await resetPasskeys(settings, { email: "nobody@team.org", org })).toBeNull();
    expect(await resetPasskeys(settings, { email: "OWNER@team.org", org })).toBe(1);
    expect((await whoami(owner)).status).toBe(401);
    const again = await sessionOf("owner@team.org", "owner");
    expect((await addPasskey(api, again, createAuthenticator())).status).toBe(201);
    expect((await whoami(again)).status).toBe(200);
  });
});

describe("nobody requires passkeys", () => {
  test("without using one in this session", async () => {
    const second = await sessionOf("owner@team.org", "owner");
    expect(problemOf(await require(true, second))).toEqual(REQUIRED);
    const ann = await sessionOf("ann@team.org", "admin");
    expect(problemOf(await require(true, ann))).toEqual(REQUIRED);
  });

  test("after removing their last one", async () => {
    await api.call("DELETE", `/v1/passkeys/${device.id}`, { token: owner });
    expect(problemOf(await require(true))).toEqual(REQUIRED);
  });

  test("as a member", async () => {
    const member = await sessionOf("mia@team.org", "member");
    expect(problemOf(await require(true, member))).toEqual([403, "role-required"]);
  });

  test("with an identity provider", async () => {
    const provider = await startIdentityProvider();
    const service = await openTestService({ identity: provider.settings });
    const token = provider.token({ org_role: "admin" });
    const answer = await service.call("PUT", PATH, { token, body: { required: true } });
    await service.stop();
    await provider.stop();
    expect(problemOf(answer)).toEqual([409, "members-elsewhere"]);
  });
});
