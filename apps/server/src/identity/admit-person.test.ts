import { generateKeyPairSync, randomUUID } from "node:crypto";
import { type Caller, type ControlPlane, changeOrder, DomainError, type Identity } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { controlEngines } from "../test-support/control-engines.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { admitPerson } from "./admit-person.ts";
import { localIdentity } from "./local-identity.ts";

const KEY = Buffer.from(generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }));

describe.each(controlEngines("admitting people"))("admitPerson on $engine", (engine) => {
  let control: ControlPlane;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ control, stop } = await openTestControlPlane(engine));
  });
  afterAll(() => stop());

  const T = Date.parse("2026-03-01T12:00:00Z");
  const clock = { now: () => T + 60_000 };
  /** Of each test its own: an org that nobody has heard of. */
  let org = "";
  beforeEach(() => {
    org = `org_${randomUUID()}`;
  });

  const identityOf = (changed: Partial<Identity> = {}): Identity => ({
    externalUserId: `user_${org}`,
    externalOrgId: org,
    orgName: null,
    role: "member",
    email: "ann@x.org",
    name: "Ann",
    issuedAt: T,
    session: null,
    ...changed,
  });

  function admit(
    changed: Partial<Identity> = {},
    isEnforced = false,
    over: ControlPlane = control,
  ): Promise<Caller> {
    const plans = createOrgPlans({ control, clock, changes: noChanges }, isEnforced);
    const isPlatformOwner = (email: string) => email === "boss@x.org";
    const deps = {
      control: over,
      clock,
      newId: randomUUID,
      plans,
      isPlatformOwner,
      identity: localIdentity(KEY, clock),
    };
    return admitPerson(identityOf(changed), deps);
  }

  const refusal = (admitted: Promise<Caller>) =>
    admitted.then(
      () => "let in",
      (error: unknown) => (error instanceof DomainError ? `${error.kind}: ${error.message}` : error),
    );

  const removeAt = (at: number) =>
    control.people.putMembership(
      { ...identityOf(), order: changeOrder(at, "deleted"), role: "member", isRemoved: true },
      at,
    );

  describe("a first token", () => {
    test("makes the user, the org and the membership, with a seat", async () => {
      const caller = await admit({ role: "admin", orgName: "One" });
      expect(caller).toMatchObject({
        role: "admin",
        email: "ann@x.org",
        name: "Ann",
        isPlatformOwner: false,
      });
      expect(await control.orgs.find(caller.orgId)).toMatchObject({ externalId: org, name: "One" });
      expect(await control.people.findMember(caller.orgId, caller.userId)).toMatchObject({
        email: "ann@x.org",
        joinedAt: clock.now(),
      });
    });

    test("that comes twenty times at once makes one of each", async () => {
      const callers = await Promise.all(Array.from({ length: 20 }, () => admit()));
      expect(new Set(callers.map(({ orgId, userId }) => `${orgId} ${userId}`)).size).toBe(1);
      const orgId = callers[0]?.orgId ?? "";
      expect(await control.people.countSeats(orgId)).toBe(1);
      expect((await control.audit.list(orgId, { limit: 50 })).items).toHaveLength(1);
    });

    test("fills in a user whom only a membership mentioned", async () => {
      const order = changeOrder(T + 1, "created");
      await control.people.putMembership({ ...identityOf(), order, role: "admin", isRemoved: false }, T);
      const { orgId, userId, role } = await admit();
      expect(role).toBe("admin");
      expect(await control.people.findMember(orgId, userId)).toMatchObject({
        email: "ann@x.org",
        name: "Ann",
      });
    });
  });

  describe("the newest word counts:", () => {
    test.each([
      { name: "a newer token's role", issuedAt: T + 1000, role: "owner" },
      { name: "not an older token's", issuedAt: T - 1000, role: "member" },
    ] as const)("$name", async ({ issuedAt, role }) => {
      await admit();
      expect((await admit({ role: "owner", issuedAt })).role).toBe(role);
      expect((await admit()).role).toBe(role);
    });

    test("a role that was changed after the token was issued holds against it", async () => {
      await admit({ role: "owner" });
      const order = changeOrder(T + 1, "updated");
      await control.people.putMembership({ ...identityOf(), order, role: "member", isRemoved: false }, T);
      expect((await admit({ role: "owner" })).role).toBe("member");
    });

    test("a token with the same content is remembered: an older word cannot win afterwards", async () => {
      await admit();
      await admit({ issuedAt: T + 5000 });
      const order = changeOrder(T + 2000, "updated");
      await control.people.putMembership({ ...identityOf(), order, role: "owner", isRemoved: false }, T);
      expect((await admit()).role).toBe("member");
    });
  });

  test("a token that says nothing new costs one read and no write", async () => {
    await admit();
    const asked: string[] = [];
    const watched = new Proxy(control, {
      get: (target, part: keyof ControlPlane) => {
        if (part === "transaction") asked.push("transaction");
        const store = target[part];
        if (typeof store !== "object") return store;
        return new Proxy(store, {
          get: (methods, name) => {
            asked.push(`${part}.${String(name)}`);
            return Reflect.get(methods, name);
          },
        });
      },
    });
    await admit({}, true, watched);
    expect(asked).toEqual(["people.findAccess"]);
  });

  describe("nobody gets in", () => {
    test("with a token from before the removal; one from after it does", async () => {
      await admit();
      await removeAt(T + 500);
      expect(await refusal(admit())).toMatch(/^invalid-credential: You were removed/);
      expect(await refusal(admit({ issuedAt: T + 1000 }))).toBe("let in");
    });

    test("by a token of the very instant of the removal", async () => {
      await admit();
      await removeAt(T);
      expect(await refusal(admit())).toMatch(/^invalid-credential/);
    });

    test.each(["before", "after"])("into a deleted org, by a token from %s the deletion", async (when) => {
      await admit();
      const order = changeOrder(T + 500, "deleted");
      await control.people.putOrg({ externalId: org, order, name: null, isDeleted: true }, T);
      const issuedAt = when === "after" ? T + 1000 : T;
      expect(await refusal(admit({ issuedAt }))).toMatch(/^invalid-credential: The organization was deleted/);
      const stranger = admit({ issuedAt, externalUserId: `stranger_${org}` });
      expect(await refusal(stranger)).toMatch(/^invalid-credential: The organization was deleted/);
    });

    test.each(["before", "after"])("who was deleted, by a token from %s the deletion", async (when) => {
      const { orgId, userId } = await admit();
      const order = changeOrder(T + 500, "deleted");
      const gone = {
        externalId: identityOf().externalUserId,
        order,
        email: null,
        name: null,
        isDeleted: true,
      };
      await control.people.putUser(gone, T);
      const issuedAt = when === "after" ? T + 1000 : T;
      expect(await refusal(admit({ issuedAt }))).toMatch(/^invalid-credential: The user was deleted/);
      expect(await control.people.findMember(orgId, userId)).toBeNull();
    });

    test("with a session that was signed out", async () => {
      const session = { id: randomUUID(), startedAt: T };
      expect(await refusal(admit({ session }))).toBe("let in");
      await control.endedSessions.end({ id: session.id, expiresAt: T + 1e9 }, T);
      expect(await refusal(admit({ session }))).toMatch(/^invalid-credential: The session was signed out/);
      expect(await refusal(admit({ session: { id: randomUUID(), startedAt: T } }))).toBe("let in");
    });
  });

  describe("seats", () => {
    const person = (i: number, isEnforced = true) =>
      refusal(admit({ externalUserId: `${i}_${org}`, email: `${i}@x.org` }, isEnforced));

    test("are given to the first five of a free org that come at once, and to nobody else", async () => {
      const outcomes = await Promise.all(Array.from({ length: 12 }, (_, i) => person(i)));
      expect(outcomes.filter((outcome) => outcome === "let in")).toHaveLength(5);
      const refused = outcomes.filter((outcome) => outcome !== "let in");
      expect(refused.every((outcome) => /^seat-required: All seats/.test(String(outcome)))).toBe(true);
    });

    test("have no bound where plan limits are not enforced, and whoever has one keeps it when they are", async () => {
      for (let i = 0; i < 7; i += 1) expect(await person(i, false)).toBe("let in");
      for (let i = 0; i < 7; i += 1) expect(await person(i)).toBe("let in");
      expect(await person(7)).toMatch(/^seat-required/);
    });

    test("come back with a removal", async () => {
      await admit();
      for (let i = 0; i < 4; i += 1) expect(await person(i)).toBe("let in");
      expect(await person(4)).toMatch(/^seat-required/);
      await removeAt(T + 500);
      expect(await person(4)).toBe("let in");
    });
  });

  describe("the platform owner", () => {
    test.each([
      { name: "is known by the token's email", email: "boss@x.org", stored: "ann@x.org", is: true },
      {
        name: "is known by the stored email where the token has none",
        email: null,
        stored: "boss@x.org",
        is: true,
      },
      {
        name: "is nobody whose token has another email",
        email: "ann@x.org",
        stored: "boss@x.org",
        is: false,
      },
    ])("$name", async ({ email, stored, is }) => {
      const order = changeOrder(T + 1, "updated");
      await admit({ email: stored });
      const word = {
        externalId: identityOf().externalUserId,
        order,
        email: stored,
        name: null,
        isDeleted: false,
      };
      await control.people.putUser(word, T);
      expect((await admit({ email })).isPlatformOwner).toBe(is);
    });
  });

  test("a person without email or name is let in, and goes by nothing", async () => {
    expect(await admit({ email: null, name: null })).toMatchObject({
      email: "",
      name: "",
      isPlatformOwner: false,
    });
  });
});
