import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newOrg, ODD_TEXT } from "./fixtures.ts";

export function webhookSecretContract(engine: () => Engine): void {
  describe("webhook secrets", () => {
    test("are found unchanged, by their own org", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      expect(await first.webhookSecrets.find(orgId)).toBeNull();
      const secret = { orgId, sealed: ODD_TEXT, createdAt: NOW };
      await first.webhookSecrets.rotate(secret);
      expect(await second.webhookSecrets.find(orgId)).toEqual(secret);
      expect(await second.webhookSecrets.find(other)).toBeNull();
    });

    test("are replaced by rotation, in their own org only", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const kept = { orgId: other, sealed: "other", createdAt: NOW };
      const after = { orgId, sealed: "after", createdAt: NOW + 1 };
      await first.webhookSecrets.rotate(kept);
      await first.webhookSecrets.rotate({ orgId, sealed: "before", createdAt: NOW });
      await second.webhookSecrets.rotate(after);
      expect(await first.webhookSecrets.find(orgId)).toEqual(after);
      expect(await first.webhookSecrets.find(other)).toEqual(kept);
    });

    test("stay unique per org, and consistent, when processes rotate at once", async () => {
      const { planes } = engine();
      const orgId = await newOrg(planes[0]);
      const secrets = Array.from({ length: 10 }, (_, i) => ({ orgId, sealed: `${i}`, createdAt: NOW + i }));
      await Promise.all(secrets.map((secret, i) => planes[i % 2]!.webhookSecrets.rotate(secret)));
      expect(secrets).toContainEqual(await planes[0].webhookSecrets.find(orgId));
    });
  });
}
