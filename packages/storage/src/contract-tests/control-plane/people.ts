import { randomUUID } from "node:crypto";
import { changeOrder, type OrgUpdate, type UserUpdate } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inNight } from "../../../../../tests/in-night.ts";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, newOrg, ODD_TEXT, readAll } from "./fixtures.ts";
import { applyUpdate, expectedState, readState, updateArbitrary } from "./identity-updates.ts";

export function peopleContract(engine: () => Engine): void {
  describe("people", () => {
    updating(engine);
    deleting(engine);
    converging(engine);
    listing(engine);
  });
  describe("seats", () => seats(engine));
}

const userOf = (externalId: string, overrides: Partial<UserUpdate> = {}): UserUpdate => ({
  externalId,
  order: changeOrder(NOW, "updated"),
  email: "ada@example.com",
  name: ODD_TEXT,
  isDeleted: false,
  ...overrides,
});

const orgOf = (externalId: string, overrides: Partial<OrgUpdate> = {}): OrgUpdate => ({
  externalId,
  order: changeOrder(NOW, "updated"),
  name: "Acme",
  isDeleted: false,
  ...overrides,
});

function updating(engine: () => Engine): void {
  test("may access an org after the first update of their membership, with an id that never changes", async () => {
    const [first, second] = engine().planes;
    const membership = membershipOf({ role: "owner" });
    expect(await first.people.findAccess(membership)).toBeNull();
    await first.people.putMembership(membership, NOW);
    const access = await second.people.findAccess(membership);
    expect(access).toEqual({
      orgId: access?.orgId,
      userId: access?.userId,
      email: "",
      name: "",
      role: "owner",
      order: membership.order,
      isRemoved: false,
      isUserDeleted: false,
      isOrgDeleted: false,
      hasSeat: false,
      requiresPasskey: false,
    });
    await second.people.putUser(userOf(membership.externalUserId), NOW + 1);
    await second.people.putOrg(orgOf(membership.externalOrgId), NOW + 1);
    expect(await first.people.findAccess(membership)).toEqual({
      ...access,
      email: "ada@example.com",
      name: ODD_TEXT,
    });
    expect(await first.orgs.find(access!.orgId)).toMatchObject({ name: "Acme" });
  });

  test("are listed with every org where their membership was updated", async () => {
    const [first, second] = engine().planes;
    const membership = membershipOf();
    const removed = membershipOf({ externalUserId: membership.externalUserId, isRemoved: true });
    for (const update of [membership, removed, membershipOf()]) await first.people.putMembership(update, NOW);
    const orgs = await second.people.listOrgsOf(membership.externalUserId);
    expect(new Set(orgs)).toEqual(new Set([membership.externalOrgId, removed.externalOrgId]));
    expect(await first.people.listOrgsOf(membership.externalUserId)).toEqual(orgs);
    expect(await second.people.listOrgsOf("nobody")).toEqual([]);
  });

  test("take an email from a late webhook if a newer token had none", async () => {
    const [{ people, orgs }] = engine().planes;
    const membership = membershipOf();
    const { externalUserId, externalOrgId } = membership;
    const { orgId } = await newMember({ people }, membership);
    await people.putUser(userOf(externalUserId, { order: 9, email: null, name: "Ada" }), NOW);
    await people.putOrg(orgOf(externalOrgId, { order: 9, name: null }), NOW);
    await people.putUser(userOf(externalUserId, { order: 8, name: "A." }), NOW);
    await people.putOrg(orgOf(externalOrgId, { order: 8 }), NOW);
    expect(await people.findAccess(membership)).toMatchObject({ email: "ada@example.com", name: "Ada" });
    expect(await orgs.find(orgId)).toMatchObject({ name: "Acme" });
  });

  test("become one user, org and membership when two processes see the first token at once", async () => {
    const { planes } = engine();
    for (let round = 0; round < 10; round++) {
      const membership = membershipOf();
      const { externalUserId, externalOrgId } = membership;
      const provision = (plane: (typeof planes)[number]) =>
        plane.transaction(async ({ people, orgs }) => {
          await people.putUser(userOf(externalUserId), NOW);
          await people.putOrg(orgOf(externalOrgId), NOW);
          await people.putMembership(membership, NOW);
          const access = (await people.findAccess(membership))!;
          await orgs.lock(access.orgId);
          return (await people.takeSeat(access, 1, NOW)) && access;
        });
      const all = await Promise.all([...planes, ...planes].map(provision));
      expect(new Set(all.map((access) => access && `${access.orgId} ${access.userId}`)).size).toBe(1);
      const members = await planes[0].people.listMembers(all[0] ? all[0].orgId : "", { limit: 5 });
      expect(members.items.map(({ externalId }) => externalId)).toEqual([externalUserId]);
    }
  });
}

function deleting(engine: () => Engine): void {
  test("lose their personal data and leave every list when they are deleted", async () => {
    const [{ people }] = engine().planes;
    const membership = membershipOf({ role: "owner" });
    const { orgId, userId } = await newMember({ people }, membership);
    const user = userOf(membership.externalUserId);
    await people.putUser(user, NOW);
    await people.takeSeat({ orgId, userId }, 1, NOW);
    await people.putUser({ ...user, order: user.order + 1, isDeleted: true }, NOW);
    await people.putUser({ ...user, email: "late@example.com" }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ isUserDeleted: true, email: "", name: "" });
    expect(await people.findMember(orgId, userId)).toBeNull();
    expect(await people.listMembers(orgId, { limit: 5 })).toEqual({ items: [], nextCursor: null });
    expect(await people.countOwners(orgId)).toBe(0);
    expect(await people.countSeats(orgId)).toBe(0);
  });

  test("come and change by tokens until they are removed, which no token reverses", async () => {
    const [{ people }] = engine().planes;
    const membership = membershipOf({ role: "member" });
    const { order } = membership;
    await people.putMembershipOfToken(membership, NOW);
    await people.putMembershipOfToken({ ...membership, order: order + 1, role: "admin" }, NOW);
    await people.putMembershipOfToken(membership, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ role: "admin", isRemoved: false });
    await people.putMembership({ ...membership, order: order + 2, isRemoved: true }, NOW);
    await people.putMembershipOfToken({ ...membership, order: order + 9, role: "owner" }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ order: order + 2, isRemoved: true });
    await people.putMembership({ ...membership, order: order + 3 }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ order: order + 3, isRemoved: false });
  });

  test("are known to be deleted whatever the org", async () => {
    const [{ people }] = engine().planes;
    const { externalUserId } = membershipOf();
    expect(await people.isUserDeleted(externalUserId)).toBe(false);
    await people.putUser(userOf(externalUserId), NOW);
    expect(await people.isUserDeleted(externalUserId)).toBe(false);
    const order = changeOrder(NOW, "deleted");
    await people.putUser(userOf(externalUserId, { order, isDeleted: true }), NOW);
    expect(await people.isUserDeleted(externalUserId)).toBe(true);
  });

  test("lose their seat when they are removed, and come back without one", async () => {
    const [{ people }] = engine().planes;
    const membership = membershipOf({ role: "owner" });
    const { order } = membership;
    const { orgId, userId } = await newMember({ people }, membership);
    await people.takeSeat({ orgId, userId }, null, NOW);
    await people.putMembership({ ...membership, order: order - 1, isRemoved: true }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ isRemoved: false, hasSeat: true });
    await people.putMembership({ ...membership, order: order + 2, isRemoved: true }, NOW);
    await people.putMembership({ ...membership, order: order + 1 }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({
      order: order + 2,
      isRemoved: true,
      hasSeat: false,
    });
    expect(await people.findMember(orgId, userId)).toBeNull();
    expect(await people.countOwners(orgId)).toBe(0);
    await people.putMembership({ ...membership, order: order + 3, role: "member" }, NOW);
    expect(await people.findAccess(membership)).toMatchObject({ userId, role: "member", hasSeat: false });
  });

  test("of a deleted org are marked as such", async () => {
    const [{ people }] = engine().planes;
    const membership = membershipOf();
    await people.putMembership(membership, NOW);
    await people.putOrg(orgOf(membership.externalOrgId, { isDeleted: true }), NOW);
    expect(await people.findAccess(membership)).toMatchObject({ isOrgDeleted: true });
  });
}

function converging(engine: () => Engine): void {
  test("end in the same state for any order and repetition of updates: the latest value of each part counts", async () => {
    const [plane] = engine().planes;
    await fc.assert(
      fc.asyncProperty(fc.array(updateArbitrary, { maxLength: 25 }), async (updates) => {
        const suffix = randomUUID();
        await plane.transaction(async (stores) => {
          for (const update of updates) await applyUpdate(stores, update, suffix);
        });
        expect(await readState(plane, suffix)).toEqual(expectedState(updates));
      }),
      { numRuns: inNight(25, 100) },
    );
  });

  test("end in the same state when two processes apply the updates at once", async () => {
    const { planes } = engine();
    const rounds = fc.sample(fc.array(updateArbitrary, { minLength: 12, maxLength: 20 }), {
      numRuns: 8,
      seed: 1,
    });
    for (const updates of rounds) {
      const suffix = randomUUID();
      await Promise.all(
        [...updates, ...updates].map((update, i) => applyUpdate(planes[i % 2]!, update, suffix)),
      );
      expect(await readState(planes[0], suffix)).toEqual(expectedState(updates));
    }
  });
}

function listing(engine: () => Engine): void {
  test("are listed in their own org only, newest first, with role and seat", async () => {
    const [first, second] = engine().planes;
    const owner = membershipOf({ role: "owner" });
    const { externalOrgId } = owner;
    const { orgId, userId } = await newMember(first, owner);
    const invited = await newMember(first, { externalOrgId, role: "member" }, NOW + 1);
    const elsewhere = await newMember(first, { externalUserId: owner.externalUserId, role: "member" });
    await first.people.putUser(userOf(owner.externalUserId), NOW);
    await first.people.takeSeat({ orgId, userId }, 1, NOW + 7);
    const listed = {
      userId,
      externalId: owner.externalUserId,
      email: "ada@example.com",
      name: ODD_TEXT,
      role: "owner",
      joinedAt: NOW + 7,
      createdAt: NOW,
    };
    const { items, nextCursor } = await second.people.listMembers(orgId, { limit: 5 });
    expect(nextCursor).toBeNull();
    expect(items).toEqual([expect.objectContaining({ userId: invited.userId, joinedAt: null }), listed]);
    expect(await second.people.findMember(orgId, userId)).toEqual(listed);
    expect(await second.people.findMember(orgId, randomUUID())).toBeNull();
    expect(await second.people.findMember(elsewhere.orgId, invited.userId)).toBeNull();
    expect(elsewhere.userId).toBe(userId);
    expect(await second.people.findMember(elsewhere.orgId, userId)).toMatchObject({
      role: "member",
      joinedAt: null,
    });
    expect(await second.people.countOwners(orgId)).toBe(1);
    expect(await second.people.countOwners(elsewhere.orgId)).toBe(0);
  });

  test("are paged through without gaps or repeats when they share a timestamp", async () => {
    const [plane] = engine().planes;
    const { externalOrgId } = membershipOf();
    const members = await plane.transaction((stores) =>
      Promise.all(Array.from({ length: 23 }, () => newMember(stores, { externalOrgId }))),
    );
    const { orgId } = members[0]!;
    const listed = await readAll(5, (page) => plane.people.listMembers(orgId, page));
    expect(listed.map(({ userId }) => userId)).toEqual(
      members
        .map(({ userId }) => userId)
        .toSorted()
        .toReversed(),
    );
    await expect(plane.people.listMembers(orgId, { limit: 5, cursor: "no cursor" })).rejects.toMatchObject({
      kind: "invalid-query",
    });
  });
}

function seats(engine: () => Engine): void {
  test("are taken up to the limit, one per member", async () => {
    const [{ people }] = engine().planes;
    const { externalOrgId } = membershipOf();
    const [a, b] = [
      await newMember({ people }, { externalOrgId }),
      await newMember({ people }, { externalOrgId }),
    ];
    expect(await people.takeSeat(a, 0, NOW)).toBe(false);
    expect(await people.takeSeat(a, 1, NOW)).toBe(true);
    expect(await people.takeSeat(b, 1, NOW)).toBe(false);
    expect(await people.takeSeat(a, 0, NOW + 1)).toBe(true);
    expect(await people.findMember(a.orgId, a.userId)).toMatchObject({ joinedAt: NOW });
    expect(await people.countSeats(a.orgId)).toBe(1);
    expect(await people.takeSeat(b, null, NOW)).toBe(true);
    expect(await people.countSeats(a.orgId)).toBe(2);
  });

  test("are refused to people who are not members or have been removed", async () => {
    const [{ people }] = engine().planes;
    const removed = await newMember({ people }, { isRemoved: true });
    const orgId = await newOrg({ people });
    expect(await people.takeSeat(removed, null, NOW)).toBe(false);
    expect(await people.takeSeat({ orgId, userId: removed.userId }, null, NOW)).toBe(false);
    expect(await people.countSeats(removed.orgId)).toBe(0);
  });

  test("never exceed the limit when members take them through two processes at once", async () => {
    const { planes } = engine();
    const { externalOrgId } = membershipOf();
    const members = [];
    for (let i = 0; i < 12; i++) members.push(await newMember(planes[0], { externalOrgId }));
    const { orgId } = members[0]!;
    const taken = await Promise.all(
      members.map((member, i) =>
        planes[i % 2]!.transaction(async ({ orgs, people }) => {
          await orgs.lock(orgId);
          return people.takeSeat(member, 5, NOW);
        }),
      ),
    );
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(5);
    expect(await planes[1].people.countSeats(orgId)).toBe(5);
  });
}
