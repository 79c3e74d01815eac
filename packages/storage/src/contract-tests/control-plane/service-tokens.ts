import { randomUUID } from "node:crypto";
import { changeOrder, type ServiceToken, TOKEN_USE_MS } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { membershipOf, NOW, newMember, ODD_TEXT } from "./fixtures.ts";

const tokenOf = (
  member: { orgId: string; userId: string },
  more: Partial<ServiceToken> = {},
): ServiceToken => ({
  id: randomUUID(),
  orgId: member.orgId,
  name: ODD_TEXT,
  role: "admin",
  runsNights: true,
  prefix: "svc_st_abcde",
  hash: randomUUID(),
  madeBy: member.userId,
  createdAt: NOW,
  expiresAt: NOW + 1,
  lastUsedAt: null,
  ...more,
});

export function serviceTokenContract(engine: () => Engine): void {
  describe("service tokens", () => {
    test("are found by their hash in every process, with their maker's current rights, until they are revoked", async () => {
      const [first, second] = engine().planes;
      const member = await newMember(first);
      const token = tokenOf(member);
      await first.serviceTokens.create(token);
      const held = { ...token, makerRole: "admin", makerEmail: "" };
      expect(await second.serviceTokens.findByHash(token.hash)).toEqual(held);
      expect(await second.serviceTokens.list(token.orgId)).toEqual([held]);
      expect(await second.serviceTokens.findByHash(randomUUID())).toBeNull();
      expect(await second.serviceTokens.revoke(randomUUID(), token.id)).toBeNull();
      expect(await second.serviceTokens.revoke(token.orgId, token.id)).toEqual(token);
      expect(await first.serviceTokens.findByHash(token.hash)).toBeNull();
      expect(await first.serviceTokens.revoke(token.orgId, token.id)).toBeNull();
    });

    test("stay after their maker's membership ends, without rights", async () => {
      const [first] = engine().planes;
      const membership = membershipOf();
      const token = tokenOf(await newMember(first, membership));
      await first.serviceTokens.create(token);
      const order = changeOrder(NOW + 1, "deleted");
      await first.people.putMembership({ ...membership, order, isRemoved: true }, NOW);
      expect(await first.serviceTokens.findByHash(token.hash)).toMatchObject({ makerRole: null });
    });

    test("are listed newest first, with at most one use recorded per minute", async () => {
      const [first, second] = engine().planes;
      const member = await newMember(first);
      const [older, newer] = [tokenOf(member), tokenOf(member, { createdAt: NOW + 1, runsNights: false })];
      for (const token of [older, newer]) await first.serviceTokens.create(token);
      const uses = [NOW, NOW + TOKEN_USE_MS - 1, NOW - 1];
      for (const at of uses) await second.serviceTokens.recordUse(older, at);
      expect(await first.serviceTokens.list(member.orgId)).toMatchObject([
        { id: newer.id, runsNights: false, lastUsedAt: null },
        { id: older.id, runsNights: true, lastUsedAt: NOW },
      ]);
      await second.serviceTokens.recordUse(older, NOW + TOKEN_USE_MS);
      expect((await first.serviceTokens.list(member.orgId))[1]).toMatchObject({
        lastUsedAt: NOW + TOKEN_USE_MS,
      });
    });
  });
}
