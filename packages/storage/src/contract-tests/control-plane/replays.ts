import { describe, expect, test } from "vitest";
import type { Engine } from "./engine.ts";
import { guardLookOf, holdbackReportOf, NOW, newExperiment, newOrg, replayOf } from "./fixtures.ts";

export function replayContract(engine: () => Engine): void {
  describe("replays", () => {
    test("the newest of an experiment is kept, for its own org", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const experiment = await newExperiment(first, orgId);
      expect(await first.replays.find(orgId, experiment.id)).toBeNull();
      await first.replays.put(orgId, replayOf(experiment));
      expect(await second.replays.find(orgId, experiment.id)).toEqual(replayOf(experiment));
      const newer = replayOf(experiment, { computedAt: NOW + 2, metrics: [] });
      await second.replays.put(orgId, newer);
      expect(await first.replays.find(orgId, experiment.id)).toEqual(newer);
      expect(await first.replays.find(stranger, experiment.id)).toBeNull();
    });

    test("of a guard's looks, too", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const experiment = await newExperiment(first, orgId);
      await first.guardLooks.put(orgId, guardLookOf(experiment));
      await second.guardLooks.put(orgId, guardLookOf(experiment, NOW + 1));
      expect(await first.guardLooks.find(orgId, experiment.id)).toEqual(guardLookOf(experiment, NOW + 1));
      expect(await first.guardLooks.find(stranger, experiment.id)).toBeNull();
      expect(await first.replays.find(orgId, experiment.id)).toBeNull();
    });

    test("of a holdback's reports, too", async () => {
      const [first, second] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const experiment = await newExperiment(first, orgId);
      await first.holdbackReports.put(orgId, holdbackReportOf(experiment));
      await second.holdbackReports.put(orgId, holdbackReportOf(experiment, NOW + 1));
      expect(await first.holdbackReports.find(orgId, experiment.id)).toEqual(
        holdbackReportOf(experiment, NOW + 1),
      );
      expect(await first.holdbackReports.find(stranger, experiment.id)).toBeNull();
    });

    test("are only for experiments of the org", async () => {
      const [first] = engine().planes;
      const [orgId, stranger] = [await newOrg(first), await newOrg(first)];
      const experiment = await newExperiment(first, orgId);
      await expect(first.replays.put(stranger, replayOf(experiment))).rejects.toThrow();
    });
  });
}
