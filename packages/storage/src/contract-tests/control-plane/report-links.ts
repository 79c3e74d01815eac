import { randomUUID } from "node:crypto";
import type { ReportLink } from "@assay/domain";
import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { NOW, newExperiment, newOrg, ODD_TEXT } from "./fixtures.ts";

export function reportLinkContract(engine: () => Engine): void {
  const linkOf = (
    { orgId, id: experimentId }: { readonly orgId: string; readonly id: string },
    more: Partial<ReportLink> = {},
  ): ReportLink => ({
    ...{ orgId, experimentId, id: randomUUID(), createdBy: "person", createdByName: ODD_TEXT },
    ...{ createdAt: NOW, expiresAt: NOW + 1_000 },
    ...more,
  });

  describe("links to reports", () => {
    test("are listed newest first, found by id, and removed once, by their own org only", async () => {
      const [first, second] = engine().planes;
      const experiment = await newExperiment(first, await newOrg(first));
      const { orgId, id } = experiment;
      const [link, newer] = [linkOf(experiment), linkOf(experiment, { createdAt: NOW + 1 })];
      for (const each of [link, newer]) await first.reportLinks.put(each);
      expect(await second.reportLinks.list(orgId, id)).toEqual([newer, link]);
      expect(await second.reportLinks.find(link.id)).toEqual(link);
      const stranger = await newOrg(first);
      expect(await first.reportLinks.list(stranger, id)).toEqual([]);
      expect(await first.reportLinks.remove({ ...link, orgId: stranger })).toBe(false);
      expect(await first.reportLinks.remove(link)).toBe(true);
      expect(await second.reportLinks.remove(link)).toBe(false);
      expect(await second.reportLinks.find(link.id)).toBeNull();
    });

    test("are removed when they expire, and with their experiment", async () => {
      const [plane] = engine().planes;
      const experiment = await newExperiment(plane, await newOrg(plane));
      const { orgId, id } = experiment;
      const [old, valid] = [linkOf(experiment, { expiresAt: NOW }), linkOf(experiment)];
      for (const each of [old, valid]) await plane.reportLinks.put(each);
      await plane.reportLinks.removeExpired(await newOrg(plane), NOW);
      expect(await plane.reportLinks.find(old.id)).toEqual(old);
      await plane.reportLinks.removeExpired(orgId, NOW);
      expect(await plane.reportLinks.list(orgId, id)).toEqual([valid]);
    });

    test("are allowed until an org forbids them, and never for an unknown org", async () => {
      const [first, second] = engine().planes;
      const orgId = await newOrg(first);
      expect(await second.orgs.allowsReportLinks(orgId)).toBe(true);
      await first.orgs.putReportLinksAllowed(orgId, false);
      expect(await second.orgs.allowsReportLinks(orgId)).toBe(false);
      await first.orgs.putReportLinksAllowed(orgId, true);
      expect(await second.orgs.allowsReportLinks(orgId)).toBe(true);
      expect(await first.orgs.allowsReportLinks(randomUUID())).toBe(false);
    });
  });
}
