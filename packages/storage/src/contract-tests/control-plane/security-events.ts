import { randomUUID } from "node:crypto";
import { MAX_KEPT_BY_EVENT, MAX_KEPT_BY_NETWORK, type OrgSecurityEvent } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

const eventOf = (orgId: string, change: Partial<OrgSecurityEvent> = {}): OrgSecurityEvent => ({
  id: randomUUID(),
  orgId,
  at: NOW,
  name: "security.permission.refused",
  actor: ODD_TEXT,
  network: "192.0.2.1",
  route: "GET /v1/keys",
  reason: "role-required",
  subject: null,
  leftOut: 3,
  ...change,
});

export function securityEventContract(engine: () => Engine): void {
  describe("security events", () => {
    test("are listed per org, newest first, unchanged, and expire", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const [older, newer] = [eventOf(orgId), eventOf(orgId, { at: NOW + 1, network: null, leftOut: 0 })];
      await first.securityEvents.append([newer, older, eventOf(other)]);
      const all = { limit: 50, since: NOW };
      expect(await second.securityEvents.list(orgId, all)).toEqual({
        items: [newer, older],
        nextCursor: null,
      });
      expect((await second.securityEvents.list(orgId, { limit: 50, since: NOW + 1 })).items).toEqual([newer]);
      await second.securityEvents.expire(NOW + 1);
      expect((await first.securityEvents.list(orgId, all)).items).toEqual([newer]);
    });

    test("of one network displace only its own events, those of one name only their own", async () => {
      const [plane] = engine().planes;
      const orgId = await newOrg(plane);
      const revealed = eventOf(orgId, { name: "security.key.revealed", at: NOW - 1 });
      const quiet = eventOf(orgId, { network: "192.0.2.2", at: NOW - 1 });
      const flood = Array.from({ length: MAX_KEPT_BY_NETWORK + 20 }, (_, n) =>
        eventOf(orgId, { at: NOW + n }),
      );
      await plane.securityEvents.append([revealed, quiet, ...flood]);
      const stored = await listAll();
      expect(stored).toHaveLength(MAX_KEPT_BY_NETWORK + 2);
      expect(stored).toEqual(expect.arrayContaining([revealed, quiet, flood.at(-1)]));

      const networks = Array.from({ length: MAX_KEPT_BY_EVENT + 5 }, (_, n) =>
        eventOf(orgId, { at: NOW + 1_000 + n, network: `n${n}` }),
      );
      await plane.securityEvents.append(networks);
      const kept = await listAll();
      expect(kept).toHaveLength(MAX_KEPT_BY_EVENT + 1);
      expect(kept.at(-1)).toEqual(revealed);

      async function listAll() {
        return (await plane.securityEvents.list(orgId, { limit: 5_000, since: 0 })).items;
      }
    });
  });
}
