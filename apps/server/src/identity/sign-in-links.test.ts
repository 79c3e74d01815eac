import { randomUUID } from "node:crypto";
import { type ControlPlane, changeOrder, DomainError, type Role, type SignInLink } from "@assay/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createOrgPlans } from "../plans/org-plans.ts";
import { noChanges } from "../test-support/change-feeds.ts";
import { controlEngines } from "../test-support/control-engines.ts";
import { openTestControlPlane } from "../test-support/control-plane.ts";
import { admitPerson } from "./admit-person.ts";
import { localIdentity, localSubject } from "./local-identity.ts";
import { makeSigningKey } from "./session-tokens.ts";
import { createSignInLink, redeemSignInToken } from "./sign-in-links.ts";

describe.each(controlEngines("sign-in links"))("sign-in links on $engine", (engine) => {
  let control: ControlPlane;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    ({ control, stop } = await openTestControlPlane(engine));
  });
  afterAll(() => stop());

  const DAY_MS = 86_400_000;
  const time = { now: Date.parse("2026-03-01T12:00:00Z") };
  const clock = { now: () => time.now };
  const identity = localIdentity(makeSigningKey(), clock);
  const newId = () => randomUUID();
  /** Of each test its own. */
  let org = "";
  beforeEach(() => {
    org = `org-${randomUUID()}`;
  });

  const depsOf = (isEnforced: boolean) => ({
    control,
    clock,
    newId,
    identity,
    plans: createOrgPlans({ control, clock, changes: noChanges }, isEnforced),
    isPlatformOwner: () => false,
  });

  function invite(email: string, role: Role = "member", kind: SignInLink["kind"] = "invitation") {
    time.now += 1000;
    const subject = { email, name: email, role, externalOrgId: org };
    return createSignInLink(subject, { kind, lifetimeMs: 7 * DAY_MS }, { control, clock, newId });
  }

  /** Redeems the link and comes in with the token; what was refused as its kind. */
  async function signIn(token: string, isEnforced = false) {
    time.now += 1000;
    const deps = depsOf(isEnforced);
    try {
      return await admitPerson(await identity.verify(await redeemSignInToken(token, deps)), deps);
    } catch (error) {
      if (error instanceof DomainError) return error.kind;
      throw error;
    }
  }

  async function joinAs(email: string, role: Role = "member") {
    const caller = await signIn((await invite(email, role)).token);
    if (typeof caller === "string") throw new Error(caller);
    return caller;
  }

  function put(email: string, role: Role, isRemoved: boolean) {
    time.now += 1000;
    const order = changeOrder(time.now, isRemoved ? "deleted" : "updated");
    const member = { externalUserId: localSubject(email), externalOrgId: org };
    return control.people.putMembership({ ...member, order, role, isRemoved }, time.now);
  }

  const joinsOf = async (orgId: string) =>
    (await control.audit.list(orgId, { limit: 50 })).items.filter(({ action }) => action === "member.join");

  describe("a link", () => {
    test("makes its person a member with its role, and says so in the audit", async () => {
      const ann = await joinAs("Ann@x.org", "admin");
      expect(ann).toMatchObject({ email: "ann@x.org", role: "admin" });
      expect(await joinsOf(ann.orgId)).toMatchObject([
        {
          actor: { id: ann.userId, email: "ann@x.org" },
          targetType: "member",
          targetId: ann.userId,
          summary: "Added ann@x.org as admin, by invitation.",
          diff: { role: { from: null, to: "admin" } },
        },
      ]);
    });

    test("works once, also for two at once", async () => {
      const { token } = await invite("ann@x.org");
      const outcomes = await Promise.all([signIn(token), signIn(token), signIn(token)]);
      expect(outcomes.filter((outcome) => outcome === "invalid-credential")).toHaveLength(2);
      expect(await signIn(token)).toBe("invalid-credential");
    });

    test("ends when its time has passed", async () => {
      const { token, link } = await invite("ann@x.org");
      expect(link.expiresAt - link.createdAt).toBe(7 * DAY_MS);
      time.now = link.expiresAt;
      expect(await signIn(token)).toBe("invalid-credential");
    });

    test("of a member signs in without joining again, and does not change the name", async () => {
      const named = { email: "ann@x.org", name: "Ann", role: "member", externalOrgId: org } as const;
      const first = await createSignInLink(
        named,
        { kind: "invitation", lifetimeMs: DAY_MS },
        { control, clock, newId },
      );
      const ann = await signIn(first.token);
      const again = await joinAs("ann@x.org");
      const { sessionId, signedInAt } = again;
      expect(again).toEqual({ ...(ann as object), sessionId, signedInAt });
      expect(again.name).toBe("Ann");
      expect(await joinsOf(again.orgId)).toHaveLength(1);
    });

    test("is stored as a hash only", async () => {
      const { token, link } = await invite("ann@x.org");
      expect(JSON.stringify(link)).not.toContain(token);
    });
  });

  describe("what was said after a link was made counts over it:", () => {
    test("one made before its person was removed lets nobody in; one made since does", async () => {
      await joinAs("ann@x.org");
      const { token } = await invite("ann@x.org");
      await put("ann@x.org", "member", true);
      expect(await signIn(token)).toBe("invalid-credential");
      const back = await joinAs("ann@x.org");
      expect(back.role).toBe("member");
      expect(await joinsOf(back.orgId)).toHaveLength(2);
    });

    test("one made before its person was made a member does not make an admin again", async () => {
      await joinAs("ann@x.org", "admin");
      const { token } = await invite("ann@x.org", "admin");
      await put("ann@x.org", "member", false);
      expect(await signIn(token)).toMatchObject({ role: "member" });
    });

    test("the ticket of a restart makes the local owner one again", async () => {
      await joinAs("owner@x.org", "owner");
      await put("owner@x.org", "member", false);
      const { token } = await invite("owner@x.org", "owner", "ticket");
      const owner = await signIn(token);
      expect(owner).toMatchObject({ role: "owner" });
    });
  });

  test("a ticket that makes the owner says so", async () => {
    const { token } = await invite("owner@x.org", "owner", "ticket");
    const owner = await signIn(token);
    expect(typeof owner === "string" ? owner : await joinsOf(owner.orgId)).toMatchObject([
      { summary: "Added owner@x.org as owner, by the sign-in link that the service printed." },
    ]);
  });

  test("without a seat a link is not used up: it works once there is one", async () => {
    for (const i of [1, 2, 3, 4, 5]) await joinAs(`${i}@x.org`);
    const { token } = await invite("ann@x.org");
    expect(await signIn(token, true)).toBe("seats-exhausted");
    expect(await signIn(token, true)).toBe("seats-exhausted");
    await put("1@x.org", "member", true);
    expect(await signIn(token, true)).toMatchObject({ email: "ann@x.org" });
  });

  test("five links for the last two seats let two in", async () => {
    for (const i of [1, 2, 3]) await joinAs(`${i}@x.org`);
    const links = await Promise.all([4, 5, 6, 7, 8].map((i) => invite(`${i}@x.org`)));
    const outcomes = await Promise.all(links.map(({ token }) => signIn(token, true)));
    expect(outcomes.filter((outcome) => outcome === "seats-exhausted")).toHaveLength(3);
  });
});
