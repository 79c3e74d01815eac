import { randomUUID } from "node:crypto";
import type { Passkey, PasskeyOwner } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, ODD_TEXT } from "./fixtures.ts";

const passkeyOf = ({ orgId, userId }: PasskeyOwner, more: Partial<Passkey> = {}): Passkey => ({
  ...{ orgId, userId, id: randomUUID(), name: ODD_TEXT, publicKey: "cHVibGlj", counter: 0 },
  ...{ transports: ["usb", "internal"], isBackedUp: true, createdAt: NOW, lastUsedAt: null },
  ...more,
});

export function passkeyContract(engine: () => Engine): void {
  describe("passkeys", () => {
    test("belong to a person in an org, oldest first", async () => {
      const [first, second] = engine().planes;
      const [ann, bob] = [await newMember(first), await newMember(first)];
      const newer = passkeyOf(ann, { createdAt: NOW + 1, isBackedUp: false, transports: [] });
      const older = passkeyOf(ann);
      for (const passkey of [newer, older]) expect(await first.passkeys.add(passkey)).toBe(true);
      expect(await first.passkeys.add({ ...older, name: "again" })).toBe(false);
      expect(await second.passkeys.list(ann)).toEqual([older, newer]);
      expect(await second.passkeys.list(bob)).toEqual([]);
      expect(await second.passkeys.list({ ...ann, orgId: bob.orgId })).toEqual([]);
    });

    test("record a use only if no other use was recorded since", async () => {
      const [first, second] = engine().planes;
      const passkey = passkeyOf(await newMember(first), { counter: 4 });
      await first.passkeys.add(passkey);
      const use = { counter: 5, isBackedUp: false, at: NOW + 1 };
      const uses = [first.passkeys.recordUse(passkey, use), second.passkeys.recordUse(passkey, use)];
      expect((await Promise.all(uses)).sort()).toEqual([false, true]);
      const { counter, isBackedUp, at: lastUsedAt } = use;
      expect(await first.passkeys.list(passkey)).toEqual([{ ...passkey, counter, isBackedUp, lastUsedAt }]);
    });

    test("can be required, and members without one are listed", async () => {
      const [first, second] = engine().planes;
      const membership = membershipOf();
      const ann = await newMember(first, membership);
      const { orgId } = ann;
      const bob = await newMember(first, { externalOrgId: membership.externalOrgId });
      const gone = { externalOrgId: membership.externalOrgId, isRemoved: true };
      await newMember(first, gone);
      await first.passkeys.add(passkeyOf(ann));
      await first.passkeys.add(passkeyOf(ann));
      const lacking = await second.passkeys.listWithout(orgId, 10);
      expect(lacking.map(({ userId }) => userId)).toEqual([bob.userId]);
      expect(await second.passkeys.listWithout(orgId, 0)).toEqual([]);
      expect(await second.orgs.requiresPasskey(orgId)).toBe(false);
      await first.orgs.putPasskeyRequirement(orgId, true);
      expect(await second.orgs.requiresPasskey(orgId)).toBe(true);
      expect(await second.people.findAccess(membership)).toMatchObject({ requiresPasskey: true });
      await first.orgs.putPasskeyRequirement(orgId, false);
      expect(await second.orgs.requiresPasskey(orgId)).toBe(false);
    });

    test("are removed by their owner only, one or all", async () => {
      const [first] = engine().planes;
      const [ann, bob] = [await newMember(first), await newMember(first)];
      const [one, two, bobs] = [passkeyOf(ann), passkeyOf(ann), passkeyOf(bob)];
      for (const passkey of [one, two, bobs]) await first.passkeys.add(passkey);
      expect(await first.passkeys.remove(bob, one.id)).toBeNull();
      expect(await first.passkeys.remove({ ...ann, orgId: bob.orgId }, one.id)).toBeNull();
      expect(await first.passkeys.remove(ann, one.id)).toEqual(one);
      expect(await first.passkeys.removeAll(ann)).toBe(1);
      expect(await first.passkeys.removeAll(ann)).toBe(0);
      expect(await first.passkeys.list(bob)).toEqual([bobs]);
    });
  });

  describe("a passkey's challenge", () => {
    const challenge = (value: string) => ({ value, expiresAt: NOW + 10 });

    test("can be answered once, in its session, for its purpose", async () => {
      const [first, second] = engine().planes;
      const name = { sessionId: randomUUID(), purpose: "confirmation" } as const;
      await first.passkeyChallenges.put(name, challenge("one"), NOW);
      const strangers = { ...name, sessionId: randomUUID() };
      expect(await first.passkeyChallenges.take(strangers, NOW)).toBeNull();
      expect(await first.passkeyChallenges.take({ ...name, purpose: "registration" }, NOW)).toBeNull();
      const takes = [first.passkeyChallenges.take(name, NOW), second.passkeyChallenges.take(name, NOW)];
      expect((await Promise.all(takes)).filter((value) => value !== null)).toEqual(["one"]);
    });

    test("is replaced by the next one, and expires", async () => {
      const [first] = engine().planes;
      const name = { sessionId: randomUUID(), purpose: "registration" } as const;
      await first.passkeyChallenges.put(name, challenge("one"), NOW);
      await first.passkeyChallenges.put(name, challenge("two"), NOW);
      expect(await first.passkeyChallenges.take(name, NOW)).toBe("two");
      await first.passkeyChallenges.put(name, challenge("three"), NOW);
      expect(await first.passkeyChallenges.take(name, NOW + 10)).toBeNull();
    });
  });

  test("a session says when its person last used a passkey", async () => {
    const [first, second] = engine().planes;
    const id = randomUUID();
    const { orgId, userId } = await newMember(first);
    const session = {
      ...{ id, orgId, userId, startedAt: NOW, lastUsedAt: NOW, endsAt: NOW + 1, userAgent: "" },
      ...{ sealedRefreshToken: null, askedAt: NOW, confirmedAt: NOW, verifiedAt: null },
    };
    await first.sessions.add(session);
    expect(await second.sessions.find(id)).toEqual(session);
    await first.sessions.recordVerification(id, NOW + 5);
    expect(await second.sessions.find(id)).toEqual({ ...session, verifiedAt: NOW + 5 });
  });
}
