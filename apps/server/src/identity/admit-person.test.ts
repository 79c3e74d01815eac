import { randomUUID } from "node:crypto";
import { type Caller, type ControlPlane, changeOrder, DomainError, type Identity } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { controlEngines } from "../test-support/control-engines.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { admitPerson, admitPlatformOwner } from "./admit-person.ts";
import { localIdentity } from "./local-identity.ts";
import { makeSigningKey } from "./session-tokens.ts";

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
    isRoleNamed: true,
    email: "ann@x.org",
    isEmailVerified: true,
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
    return admitPerson(identityOf(changed), {
      control: over,
      clock,
      newId: randomUUID,
      plans,
      identity,
      isPlatformOwner,
    });
  }

  const identity = localIdentity(makeSigningKey(), clock);

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

    test("a token that names no role gives newcomers one, and changes nobody's", async () => {
      expect((await admit({ isRoleNamed: false })).role).toBe("member");
      await admit({ role: "owner", issuedAt: T + 1000 });
      expect((await admit({ isRoleNamed: false, issuedAt: T + 2000 })).role).toBe("owner");
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
    test.each(["before", "after"])("who was removed, with a token from %s the removal", async (when) => {
      await admit();
      await removeAt(T + 500);
      const issuedAt = when === "after" ? T + 1000 : T;
      expect(await refusal(admit({ issuedAt }))).toMatch(/^invalid-credential: You were removed/);
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
      const newSession = () => ({ id: randomUUID(), isOwn: true, startedAt: T, endsAt: T + 1e9 });
      const session = newSession();
      expect(await refusal(admit({ session }))).toBe("let in");
      await control.endedSessions.end({ id: session.id, expiresAt: T + 1e9 }, T);
      expect(await refusal(admit({ session }))).toMatch(/^invalid-credential: The session was signed out/);
      expect(await refusal(admit({ session: newSession() }))).toBe("let in");
    });
  });

  describe("somebody who was removed and is invited again", () => {
    const DAY_MS = 86_400_000;
    const fromProvider = { id: "token", isOwn: false, startedAt: T, endsAt: T + DAY_MS };

    async function inviteAt(createdAt: number, email = "ann@x.org"): Promise<void> {
      const link = {
        id: randomUUID(),
        kind: "invitation",
        tokenHash: randomUUID(),
        externalOrgId: org,
      } as const;
      await control.signInLinks.create({
        ...{ ...link, email, name: email, role: "admin", createdAt, expiresAt: createdAt + 7 * DAY_MS },
      });
    }

    test("comes in again by a token of the provider, once per invitation, and it is audited", async () => {
      await admit();
      await removeAt(T + 500);
      await inviteAt(T + 1000);
      const caller = await admit({ session: fromProvider });
      expect(caller.role).toBe("admin");
      const { items } = await control.audit.list(caller.orgId, { limit: 5 });
      expect(items.map(({ action, summary }) => `${action}: ${summary}`).toSorted()).toEqual([
        "member.join: Ann joined again as admin.",
        "member.sync: Added ann@x.org as member, by the command line.",
      ]);
      await removeAt(T + 2000);
      expect(await refusal(admit({ session: fromProvider }))).toMatch(
        /^invalid-credential: You were removed/,
      );
    });

    test.each([
      { name: "by an own session", session: { ...fromProvider, isOwn: true } },
      { name: "by a token without a session", session: null },
      { name: "with another email", session: fromProvider, email: "eve@x.org" },
      { name: "without an email", session: fromProvider, email: null },
    ])("does not come in again $name", async ({ session, email = "ann@x.org" }) => {
      await admit();
      await removeAt(T + 500);
      await inviteAt(T + 1000);
      expect(await refusal(admit({ session, email }))).toMatch(/^invalid-credential: You were removed/);
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

    test("are unlimited where plan limits are not enforced, and stay taken when they are enforced later", async () => {
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
      {
        name: "is known by the token's verified email",
        email: "boss@x.org",
        isEmailVerified: true,
        is: true,
      },
      { name: "is nobody without an email in the token", email: null, isEmailVerified: false, is: false },
      {
        name: "is nobody whose email is not verified",
        email: "boss@x.org",
        isEmailVerified: false,
        is: false,
      },
      { name: "is nobody with another email", email: "ann@x.org", isEmailVerified: true, is: false },
    ])("$name", async ({ email, isEmailVerified, is }) => {
      await admit({ email: "boss@x.org" });
      expect((await admit({ email, isEmailVerified })).isPlatformOwner).toBe(is);
    });

    test("comes in when no seat is left", async () => {
      for (let i = 0; i < 5; i += 1)
        await admit({ externalUserId: `${i}_${org}`, email: `${i}@x.org` }, true);
      expect(await refusal(admit({}, true))).toMatch(/^seat-required/);
      expect(await admit({ email: "boss@x.org" }, true)).toMatchObject({ isPlatformOwner: true });
    });

    const own = (changed: Partial<Identity> = {}) =>
      admitPlatformOwner(identityOf({ email: "boss@x.org", ...changed }), {
        control,
        isPlatformOwner: (email) => email === "boss@x.org",
      });
    const refused = (admitted: Promise<unknown>) =>
      admitted.catch((error: unknown) => (error instanceof DomainError ? error.kind : error));

    test("needs no org, no membership and no seat, and gets none", async () => {
      expect(await own()).toEqual({
        orgId: null,
        userId: `user_${org}`,
        email: "boss@x.org",
        name: "Ann",
      });
      expect(await control.people.findAccess(identityOf())).toBeNull();
      const { orgId, userId } = await admit();
      expect(await own({ name: null })).toEqual({ orgId, userId, email: "boss@x.org", name: "boss@x.org" });
    });

    test.each([
      { name: "an email that is not verified", changed: { isEmailVerified: false } },
      { name: "no email", changed: { email: null } },
      { name: "another email", changed: { email: "ann@x.org" } },
    ])("is nobody with $name", async ({ changed }) => {
      expect(await refused(own(changed))).toBe("platform-owner-required");
    });

    test("who was removed from the org of their token is out", async () => {
      await admit();
      await removeAt(T + 500);
      expect(await refused(own())).toBe("invalid-credential");
    });

    test("whose user was deleted is out, with whatever org", async () => {
      await admit();
      const { externalUserId: externalId } = identityOf();
      const order = changeOrder(T + 1, "deleted");
      await control.people.putUser({ externalId, order, email: null, name: null, isDeleted: true }, T);
      expect(await refused(own({ externalOrgId: `another ${org}` }))).toBe("invalid-credential");
    });

    test("who signed out is out", async () => {
      const session = { id: randomUUID(), isOwn: false, startedAt: T, endsAt: T + 1e9 };
      await control.endedSessions.end({ id: session.id, expiresAt: session.endsAt }, T);
      expect(await refused(own({ session }))).toBe("invalid-credential");
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
