import { keyBinding, webhookBinding } from "@assay/domain";
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

    test("are listed with API keys by how their sealed text begins, and replaced unless they changed", async () => {
      const [first, second] = engine().planes;
      const [orgId, other] = [await newOrg(first), await newOrg(first)];
      const prefix = `${orgId}.`;
      const texts = { webhook: `${prefix}w`, publishable: `${prefix}p`, secret: `${prefix}s` };
      await first.webhookSecrets.rotate({ orgId, sealed: texts.webhook, createdAt: NOW });
      await first.webhookSecrets.rotate({ orgId: other, sealed: `x${prefix}`, createdAt: NOW });
      for (const scope of ["publishable", "secret"] as const)
        await first.keys.rotate({
          orgId,
          scope,
          hash: `${orgId} ${scope}`,
          sealed: texts[scope],
          createdAt: NOW,
        });
      const listed = await second.seals.listStartingWith(prefix);
      expect(new Set(listed)).toEqual(
        new Set([
          { binding: webhookBinding(orgId), sealed: texts.webhook },
          { binding: keyBinding(orgId, "publishable"), sealed: texts.publishable },
          { binding: keyBinding(orgId, "secret"), sealed: texts.secret },
        ]),
      );
      await second.seals.replace(orgId, { from: texts.webhook, to: "bound" });
      await second.seals.replace(orgId, { from: texts.secret, to: "bound too" });
      await second.seals.replace(orgId, { from: "stale", to: "never" });
      await second.seals.replace(other, { from: texts.publishable, to: "never" });
      expect((await first.webhookSecrets.find(orgId))?.sealed).toBe("bound");
      expect((await first.keys.find(orgId, "secret"))?.sealed).toBe("bound too");
      expect((await first.keys.find(orgId, "publishable"))?.sealed).toBe(texts.publishable);
      expect(await first.seals.listStartingWith(prefix)).toHaveLength(1);
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
