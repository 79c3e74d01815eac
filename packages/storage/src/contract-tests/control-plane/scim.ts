import { randomUUID } from "node:crypto";
import type { ScimResource } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newMember, newOrg, ODD_TEXT } from "./fixtures.ts";

const resourceOf = (orgId: string, overrides: Partial<ScimResource> = {}): ScimResource => ({
  orgId,
  id: randomUUID(),
  kind: "User",
  nameKey: randomUUID(),
  externalId: null,
  email: null,
  isActive: true,
  isDeleted: false,
  document: { displayName: ODD_TEXT, emails: [{ primary: true }] },
  createdAt: NOW,
  updatedAt: NOW,
  ...overrides,
});

export function scimContract(engine: () => Engine): void {
  describe("what SCIM provisions", () => {
    test("belongs to the org of the newest token, until it is removed or the org is deleted", async () => {
      const [first, second] = engine().planes;
      const { orgId } = await newMember(first);
      const [old, hash] = [randomUUID(), randomUUID()];
      expect(await first.scim.findTokenDate(orgId)).toBeNull();
      await first.scim.putToken({ orgId, hash: old, createdAt: NOW });
      await first.scim.putToken({ orgId, hash, createdAt: NOW + 1 });
      expect([await second.scim.findOrg(old), await second.scim.findOrg(hash)]).toEqual([null, orgId]);
      expect(await second.scim.findTokenDate(orgId)).toBe(NOW + 1);
      expect([await first.scim.removeToken(orgId), await first.scim.removeToken(orgId)]).toEqual([
        true,
        false,
      ]);
      expect(await second.scim.findOrg(hash)).toBeNull();
    });

    test("is stored, changed and listed by org and kind, without deleted resources", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const [user, group] = [resourceOf(orgId), resourceOf(orgId, { kind: "Group" })];
      const changed = { ...user, isActive: false, updatedAt: NOW + 1 };
      for (const one of [user, group, changed, resourceOf(other)]) await first.scim.put(one);
      expect(await second.scim.find(orgId, "User", user.id)).toEqual(changed);
      expect(await second.scim.find(orgId, "Group", user.id)).toBeNull();
      expect(await second.scim.find(other, "User", user.id)).toBeNull();
      expect(await second.scim.list(orgId, "User")).toEqual([changed]);
      await first.scim.put({ ...user, orgId: other, nameKey: "stolen" });
      expect(await second.scim.find(orgId, "User", user.id)).toEqual(changed);
      await first.scim.put({ ...changed, isDeleted: true });
      expect([await second.scim.find(orgId, "User", user.id), await second.scim.list(orgId, "User")]).toEqual(
        [null, []],
      );
    });

    test("finds a person by id, email or name, newest change first, including deleted users", async () => {
      const [{ scim }] = engine().planes;
      const orgId = await newOrg(engine().planes[0]);
      const email = `${randomUUID()}@x.org`;
      const users = [
        resourceOf(orgId, { externalId: "sub" }),
        resourceOf(orgId, { email, updatedAt: NOW + 1 }),
        resourceOf(orgId, { nameKey: email, isDeleted: true, updatedAt: NOW + 2 }),
        resourceOf(orgId, { kind: "Group", nameKey: email }),
      ];
      for (const user of users) await scim.put(user);
      const found = await scim.findPerson(orgId, { externalUserId: "sub", email });
      expect(found.map(({ id }) => id)).toEqual([users[2]?.id, users[1]?.id, users[0]?.id]);
      expect(await scim.findPerson(orgId, { externalUserId: "nobody", email: null })).toEqual([]);
    });

    test("is matched with members of the org, including removed ones", async () => {
      const [{ people }] = engine().planes;
      const email = `${randomUUID()}@x.org`;
      const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
      const externalOrgId = randomUUID();
      const { orgId } = await newMember({ people }, { externalUserId: one, externalOrgId, isRemoved: true });
      await newMember({ people }, { externalUserId: two, externalOrgId });
      await newMember({ people }, { externalUserId: three, externalOrgId });
      await people.putUser({ externalId: two, order: 1, email, name: null, isDeleted: false }, NOW);
      const match = (externalUserId: string | null, emails: readonly string[]) =>
        people.listSamePerson(orgId, { externalUserId, emails });
      expect([...(await match(one, [email]))].sort()).toEqual([one, two].sort());
      expect([await match(null, [email]), await match(one, []), await match(null, [])]).toEqual([
        [two],
        [one],
        [],
      ]);
      expect(
        await people.listSamePerson(await newOrg({ people }), { externalUserId: one, emails: [] }),
      ).toEqual([]);
    });
  });
}
